import com.google.gson.GsonBuilder;
import com.google.gson.JsonParser;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.MembersApi;
import org.openapitools.client.api.MessagesApi;
import org.openapitools.client.model.AccountMember;
import org.openapitools.client.model.Message;
import org.openapitools.client.model.NewMember;
import org.openapitools.client.model.Part;
import org.openapitools.client.model.Role;

public class Main {
  static final UUID account = id("ACCOUNT_ID");
  static final ApiClient client = new ApiClient().setBasePath(System.getenv("API_URL"));
  static final MessagesApi messages = new MessagesApi(client);
  static final MembersApi members = new MembersApi(client);

  static UUID id(String name) {
    return UUID.fromString(System.getenv(name));
  }

  static ApiResponse<AccountMember> add(Role role, String key) throws ApiException {
    var member = new NewMember().email("ada@example.org").role(role);
    return members.addAccountMemberWithHttpInfo(account, member, key);
  }

  static List<Object> failure(Callable<?> call) throws Exception {
    try {
      call.call();
      return List.of();
    } catch (ApiException error) {
      var body = JsonParser.parseString(error.getResponseBody()).getAsJsonObject();
      return List.of(error.getCode(), body.get("message").getAsString());
    }
  }

  public static void main(String[] arguments) throws Exception {
    client.setBearerToken(System.getenv("API_KEY"));
    Message message = messages.getMessage(account, id("MESSAGE_ID"), null);
    Message bounce = messages.getMessage(account, id("BOUNCE_ID"), null);
    Message selected = messages.getMessage(account, id("MESSAGE_ID"), List.of("status", "tags"));
    var first = add(Role.BILLING_MANAGER, "key-1");
    var second = add(Role.BILLING_MANAGER, "key-1");
    var replayed = List.of("true").equals(second.getHeaders().get("Idempotent-Replayed"));

    Map<String, Object> results = new LinkedHashMap<>();
    results.put("subject", message.getSubject());
    results.put("createdAt", message.getCreatedAt().toInstant().toEpochMilli());
    results.put("texts", message.getContentParsed().getParts().stream().map(Part::getContent).toList());
    results.put("nulls", Arrays.asList(bounce.getSentAt(), bounce.getContent(), bounce.getContentParsed()));
    results.put("referenceMessageId", bounce.getReferenceMessageId().toString());
    var subject = selected.getSubject() == null ? "absent" : selected.getSubject();
    results.put("selected", List.of(selected.getStatus(), selected.getTags(), subject));
    results.put("role", first.getData().getRole().getValue());
    results.put("replayed", replayed && second.getData().getId().equals(first.getData().getId()));
    results.put("failures", List.of(
        failure(() -> messages.getMessage(account, account, null)),
        failure(() -> add(Role.ANALYST, null)),
        failure(() -> add(Role.ANALYST, "key-1"))));
    System.out.println(new GsonBuilder().serializeNulls().create().toJson(results));
  }
}
