package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strconv"

	"github.com/google/uuid"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func failure(status int, body *ErrorBody) []any { return []any{status, body.Message} }

func main() {
	ctx := context.Background()
	account := uuid.MustParse(os.Getenv("ACCOUNT_ID"))
	client := must(NewClientWithResponses(os.Getenv("API_URL"), WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
			return nil
		})))
	get := func(id uuid.UUID, fields *[]GetMessageParamsFields) *GetMessageResponse {
		return must(client.GetMessageWithResponse(ctx, account, id, &GetMessageParams{Fields: fields}))
	}
	add := func(role Role, key *string) *AddAccountMemberResponse {
		member := NewMember{Email: "ada@example.org", Role: role}
		return must(client.AddAccountMemberWithResponse(ctx, account, &AddAccountMemberParams{IdempotencyKey: key}, member))
	}
	message := get(uuid.MustParse(os.Getenv("MESSAGE_ID")), nil).JSON200
	bounce := get(uuid.MustParse(os.Getenv("BOUNCE_ID")), nil).JSON200
	selected := get(*message.Id, &[]GetMessageParamsFields{Status, Tags}).JSON200
	subject := "absent"
	if selected.Subject != nil {
		subject = *selected.Subject
	}
	texts := []string{}
	for _, part := range message.ContentParsed.Parts {
		texts = append(texts, part.Content)
	}
	key := "key-1"
	first, second := add(BillingManager, &key), add(BillingManager, &key)
	missing, member, reused := get(account, nil), add(Analyst, nil), add(Analyst, &key)
	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"subject":            message.Subject,
		"createdAt":          message.CreatedAt.UnixMilli(),
		"texts":              texts,
		"nulls":              []any{bounce.SentAt, bounce.Content, bounce.ContentParsed},
		"referenceMessageId": strconv.FormatInt(*bounce.ReferenceMessageId, 10),
		"selected":           []any{selected.Status, selected.Tags, subject},
		"role":               first.JSON201.Role,
		"replayed": second.HTTPResponse.Header.Get("Idempotent-Replayed") == "true" &&
			second.JSON201.Id == first.JSON201.Id,
		"failures": [][]any{
			failure(missing.StatusCode(), missing.JSON404),
			failure(member.StatusCode(), member.JSON409),
			failure(reused.StatusCode(), reused.JSON422),
		},
	}))
}
