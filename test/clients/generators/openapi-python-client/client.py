import json
import os
from uuid import UUID

from email_api_client import AuthenticatedClient
from email_api_client.api.members import add_account_member
from email_api_client.api.messages import get_message
from email_api_client.models import GetMessageFieldsItem as Field
from email_api_client.models import NewMember, Role
from email_api_client.types import UNSET

account, message_id, bounce_id = (UUID(os.environ[name]) for name in ("ACCOUNT_ID", "MESSAGE_ID", "BOUNCE_ID"))


def join_fields(request):
    """Writes fields=a,b instead of fields=a&fields=b, because the generated client ignores `explode: false`."""
    fields = request.url.params.get_list("fields")
    if fields:
        request.url = request.url.copy_set_param("fields", ",".join(fields))


client = AuthenticatedClient(
    base_url=os.environ["API_URL"],
    token=os.environ["API_KEY"],
    httpx_args={"event_hooks": {"request": [join_fields]}},
)


def get(message_id, fields=UNSET):
    return get_message.sync_detailed(account, message_id, client=client, fields=fields)


def add(role, key=UNSET):
    body = NewMember(email="ada@example.org", role=role)
    return add_account_member.sync_detailed(account, client=client, body=body, idempotency_key=key)


def failure(response):
    return [response.status_code, response.parsed.message]


message, bounce = get(message_id).parsed, get(bounce_id).parsed
selected = get(message_id, [Field.STATUS, Field.TAGS]).parsed
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
            "role": first.parsed.role,
            "replayed": second.headers.get("Idempotent-Replayed") == "true" and second.parsed.id == first.parsed.id,
            "failures": [failure(get(account)), failure(add(Role.ANALYST)), failure(add(Role.ANALYST, "key-1"))],
        }
    )
)
