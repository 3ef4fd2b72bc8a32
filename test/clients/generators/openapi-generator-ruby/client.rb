require "json"
require "openapi_client"

ACCOUNT, MESSAGE, BOUNCE = ENV.values_at("ACCOUNT_ID", "MESSAGE_ID", "BOUNCE_ID")
OpenapiClient.configure do |config|
  config.host = ENV["API_URL"].delete_prefix("http://")
  config.server_index = nil
  config.access_token = ENV["API_KEY"]
end
MESSAGES = OpenapiClient::MessagesApi.new
MEMBERS = OpenapiClient::MembersApi.new

def add(role, key = nil)
  member = OpenapiClient::NewMember.new(email: "ada@example.org", role: role)
  MEMBERS.add_account_member_with_http_info(ACCOUNT, member, key ? { idempotency_key: key } : {})
end

def failure
  yield
rescue OpenapiClient::ApiError => error
  [error.code, JSON.parse(error.response_body)["message"]]
end

message = MESSAGES.get_message(ACCOUNT, MESSAGE)
bounce = MESSAGES.get_message(ACCOUNT, BOUNCE)
selected = MESSAGES.get_message(ACCOUNT, MESSAGE, fields: %w[status tags])
(first, _, _), (second, _, headers) = add("Billing Manager", "key-1"), add("Billing Manager", "key-1")

puts JSON.generate(
  subject: message.subject,
  createdAt: (message.created_at.to_time.to_r * 1000).to_i,
  texts: message.content_parsed.parts.map(&:content),
  nulls: [bounce.sent_at, bounce.content, bounce.content_parsed],
  referenceMessageId: bounce.reference_message_id.to_s,
  selected: [selected.status, selected.tags, selected.subject || "absent"],
  role: first.role,
  replayed: headers["Idempotent-Replayed"] == "true" && second.id == first.id,
  failures: [
    failure { MESSAGES.get_message(ACCOUNT, ACCOUNT) },
    failure { add("Analyst") },
    failure { add("Analyst", "key-1") },
  ],
)
