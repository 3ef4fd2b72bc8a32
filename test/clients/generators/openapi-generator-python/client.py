import json
import os
from uuid import UUID

from openapi_client import ApiClient, ApiException, Configuration, MembersApi, MessagesApi, NewMember, Role

account, message_id, bounce_id = (UUID(os.environ[name]) for name in ("ACCOUNT_ID", "MESSAGE_ID", "BOUNCE_ID"))
client = ApiClient(Configuration(host=os.environ["API_URL"], access_token=os.environ["API_KEY"]))
messages, members = MessagesApi(client), MembersApi(client)


def add(role, key=None):
    member = NewMember(email="ada@example.org", role=role)
    return members.add_account_member_with_http_info(account, member, idempotency_key=key)


def failure(call, *arguments):
    try:
        call(*arguments)
    except ApiException as error:
        return [error.status, error.data.message]


message, bounce = messages.get_message(account, message_id), messages.get_message(account, bounce_id)
selected = messages.get_message(account, message_id, fields=["status", "tags"])
first, second = add(Role.BILLING_MANAGER, "key-1"), add(Role.BILLING_MANAGER, "key-1")

print(
    json.dumps(
        {
            "subject": message.subject,
            "createdAt": round(message.created_at.timestamp() * 1000),
            "texts": [part.content for part in message.content_parsed.parts],
            "nulls": [bounce.sent_at, bounce.content, bounce.content_parsed],
            "referenceMessageId": str(bounce.reference_message_id),
            "selected": [selected.status, selected.tags, selected.subject or "absent"],
            "role": first.data.role,
            "replayed": second.headers.get("Idempotent-Replayed") == "true" and second.data.id == first.data.id,
            "failures": [
                failure(messages.get_message, account, account),
                failure(add, Role.ANALYST),
                failure(add, Role.ANALYST, "key-1"),
            ],
        }
    )
)
