package main

import (
	"client/api"
	"context"
	"encoding/json"
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

type source struct{}

func (source) ApiKey(context.Context, api.OperationName) (api.ApiKey, error) {
	return api.ApiKey{Token: os.Getenv("API_KEY")}, nil
}

// A null, unless the field is absent or has a value.
func null(isSet bool, isNull bool) any {
	if isSet && isNull {
		return nil
	}
	return "not null"
}

func main() {
	ctx := context.Background()
	account := uuid.MustParse(os.Getenv("ACCOUNT_ID"))
	client := must(api.NewClient(os.Getenv("API_URL"), source{}))
	ask := func(id uuid.UUID, fields ...api.GetMessageFieldsItem) api.GetMessageRes {
		return must(client.GetMessage(ctx, api.GetMessageParams{AccountID: account, MessageID: id, Fields: fields}))
	}
	get := func(name string, fields ...api.GetMessageFieldsItem) api.Message {
		return ask(uuid.MustParse(os.Getenv(name)), fields...).(*api.MessageHeaders).Response
	}
	add := func(role api.Role, key api.OptString) api.AddAccountMemberRes {
		member := api.NewMember{Email: "ada@example.org", Role: role}
		return must(client.AddAccountMember(ctx, &member, api.AddAccountMemberParams{AccountID: account, IdempotencyKey: key}))
	}
	message, bounce := get("MESSAGE_ID"), get("BOUNCE_ID")
	selected := get("MESSAGE_ID", api.GetMessageFieldsItemStatus, api.GetMessageFieldsItemTags)
	texts := []string{}
	for _, part := range message.ContentParsed.Value.Parts {
		texts = append(texts, part.Content)
	}
	key := api.NewOptString("key-1")
	first := add(api.RoleBillingManager, key).(*api.AccountMemberHeaders)
	second := add(api.RoleBillingManager, key).(*api.AccountMemberHeaders)
	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"subject":   message.Subject.Value,
		"createdAt": message.CreatedAt.Value.UnixMilli(),
		"texts":     texts,
		"nulls": []any{
			null(bounce.SentAt.Set, bounce.SentAt.Null),
			null(bounce.Content.Set, bounce.Content.Null),
			null(bounce.ContentParsed.Set, bounce.ContentParsed.Null),
		},
		"referenceMessageId": strconv.FormatInt(bounce.ReferenceMessageID.Value, 10),
		"selected":           []any{selected.Status.Value, selected.Tags, selected.Subject.Or("absent")},
		"role":               first.Response.Role,
		"replayed":           second.IdempotentReplayed.Value == "true" && second.Response.ID == first.Response.ID,
		"failures": [][]any{
			{404, ask(account).(*api.GetMessageNotFound).Response.Message},
			{409, add(api.RoleAnalyst, api.OptString{}).(*api.AddAccountMemberConflictHeaders).Response.Message},
			{422, add(api.RoleAnalyst, key).(*api.AddAccountMemberUnprocessableEntity).Response.Message},
		},
	}))
}
