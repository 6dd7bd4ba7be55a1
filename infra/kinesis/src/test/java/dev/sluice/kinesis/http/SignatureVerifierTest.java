package dev.sluice.kinesis.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

class SignatureVerifierTest {
  private static final String KEY = "AKIDEXAMPLE";
  private static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  private static final Instant NOW = Instant.parse("2015-08-30T12:36:00Z");
  private static final String BODY = "{\"StreamName\":\"a\"}";
  private static final String TARGET = "X-Amz-Target";

  /** Of the suite that AWS published for those who sign themselves. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "GET|/|-|host;x-amz-date|5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        "POST|/|-|host;x-amz-date|5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        "GET|/|Param2=value2&Param1=value1|host;x-amz-date|"
            + "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        "POST|/|Param1=value1|host;x-amz-date|"
            + "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
        "GET|/|-|host;my-header1;my-header2;x-amz-date|"
            + "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
        "GET|/a/../b/./..|-|host;x-amz-date|"
            + "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
      })
  void thePublishedSignaturesAreValid(
      String method, String path, String query, String signed, String signature) {
    Map<String, String> headers = new TreeMap<>();
    headers.put("Host", "example.amazonaws.com");
    headers.put("X-Amz-Date", "20150830T123600Z");
    if (signed.contains("my-header1")) {
      headers.put("My-Header1", " value1");
      headers.put("My-Header2", " \"a   b   c\"");
    }
    headers.put(
        "Authorization",
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
            + "SignedHeaders="
            + signed
            + ", Signature="
            + signature);

    assertThat(verify("service", NOW, request(method, path, query, headers, ""))).isEqualTo(KEY);
  }

  @Test
  void whatTheSdkSignsInAHeaderIsValid() {
    assertThat(verify("kinesis", NOW, signed(builder -> builder))).isEqualTo(KEY);
  }

  @Test
  void whatTheSdkSignsInTheQueryIsValid() {
    SignedRequest request = signed(SignatureVerifierTest::inQuery);

    assertThat(request.query()).contains("X-Amz-Signature");
    assertThat(verify("kinesis", NOW, request)).isEqualTo(KEY);
  }

  @Test
  void whateverIsChangedAfterwardsIsNoticed() {
    for (boolean inQuery : new boolean[] {false, true}) {
      SignedRequest good = signed(inQuery ? SignatureVerifierTest::inQuery : builder -> builder);
      Map<String, String> other = new TreeMap<>(((MapHeaders) good.headers()).map());
      other.put(TARGET, "Kinesis_20131202.DeleteStream");

      assertMismatch(
          new SignedRequest(
              good.method(),
              good.path(),
              good.query(),
              good.headers(),
              ByteBuffer.wrap("{\"StreamName\":\"b\"}".getBytes(UTF_8))));
      assertMismatch(
          new SignedRequest("GET", good.path(), good.query(), good.headers(), good.body()));
      assertMismatch(
          new SignedRequest(
              good.method(), good.path() + "x", good.query(), good.headers(), good.body()));
      assertMismatch(
          new SignedRequest(
              good.method(),
              good.path(),
              good.query() == null ? "a=b" : good.query() + "&a=b",
              good.headers(),
              good.body()));
      assertMismatch(
          new SignedRequest(
              good.method(), good.path(), good.query(), new MapHeaders(other), good.body()));
    }
  }

  @Test
  void anotherSecretIsNoticed() {
    SignatureVerifier verifier =
        new SignatureVerifier(
            Map.of(KEY, SECRET + "x"), "kinesis", Clock.fixed(NOW, ZoneOffset.UTC));
    SignedRequest request = signed(builder -> builder);

    assertThatThrownBy(() -> verifier.verify(request, Authentication.of(request)))
        .hasMessageStartingWith("The request signature we calculated does not match");
  }

  @Test
  void aHeaderThatSaysWhatIsAskedMustBeSigned() {
    SignedRequest good = signed(builder -> builder);
    Map<String, String> more = new TreeMap<>(((MapHeaders) good.headers()).map());
    more.put("X-Amz-Security-Token", "t");

    assertThatThrownBy(
            () ->
                verify(
                    "kinesis",
                    NOW,
                    new SignedRequest(
                        good.method(),
                        good.path(),
                        good.query(),
                        new MapHeaders(more),
                        good.body())))
        .hasMessage("'x-amz-security-token' must be a 'SignedHeader' in the AWS Authorization.");
  }

  @Test
  void aSignatureIsValidForFiveMinutes() {
    SignedRequest request = signed(builder -> builder);

    assertThat(verify("kinesis", NOW.plusSeconds(300), request)).isEqualTo(KEY);
    assertThat(verify("kinesis", NOW.minusSeconds(300), request)).isEqualTo(KEY);
    assertThatThrownBy(() -> verify("kinesis", NOW.plusSeconds(301), request))
        .hasMessage(
            "Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z"
                + " (20150830T124101Z - 5 min.)");
    assertThatThrownBy(() -> verify("kinesis", NOW.minusSeconds(301), request))
        .hasMessage(
            "Signature not yet current: 20150830T123600Z is still later than 20150830T123559Z"
                + " (20150830T123059Z + 5 min.)");
  }

  @Test
  void aSignatureInTheQueryIsValidAsLongAsItSays() {
    SignedRequest request = signed(SignatureVerifierTest::inQuery);

    assertThat(verify("kinesis", NOW.plusSeconds(900), request)).isEqualTo(KEY);
    assertThatThrownBy(() -> verify("kinesis", NOW.plusSeconds(901), request))
        .hasMessageStartingWith("Signature expired");
  }

  @Test
  void anUnknownKeyIsSaidSo() {
    SignatureVerifier verifier =
        new SignatureVerifier(Map.of("other", "x"), "kinesis", Clock.fixed(NOW, ZoneOffset.UTC));
    SignedRequest request = signed(builder -> builder);

    assertThatThrownBy(() -> verifier.verify(request, Authentication.of(request)))
        .isInstanceOfSatisfying(
            KinesisException.class,
            e -> assertThat(e.type()).isEqualTo(ErrorType.UNRECOGNIZED_CLIENT));
  }

  @Test
  void aSignatureForAnotherServiceIsNone() {
    SignedRequest request = signed(builder -> builder);

    assertThatThrownBy(() -> verify("s3", NOW, request))
        .hasMessage("Credential should be scoped to correct service: 's3'. ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=host, Signature=x",
        "AWS4-HMAC-SHA256 Credential=////, SignedHeaders=;, Signature=x",
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/2/3/kinesis/aws4_request, SignedHeaders=;,"
            + " Signature=x",
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE//3/kinesis/aws4_request, SignedHeaders=host,"
            + " Signature=x",
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/3/kinesis/aws4_request,"
            + " SignedHeaders=host;x-amz-date;nothing, Signature=x",
        "AWS4-HMAC-SHA512 Credential=AKIDEXAMPLE/20150830/3/kinesis/aws4_request,"
            + " SignedHeaders=host;x-amz-date, Signature=ü",
        "x",
        "x =,=,= ,"
      })
  void garbageIsRefused(String authorization) {
    for (String date : List.of("20150830T123600Z", "yesterday", "20150830T996600Z")) {
      SignedRequest request =
          request(
              "POST",
              "/",
              "%zz=%",
              Map.of("Host", "x", "X-Amz-Date", date, "Authorization", authorization),
              "");

      assertThatThrownBy(() -> verify("kinesis", NOW, request))
          .isInstanceOf(KinesisException.class);
    }
  }

  private static void assertMismatch(SignedRequest request) {
    assertThatThrownBy(() -> verify("kinesis", NOW, request))
        .isInstanceOf(KinesisException.class)
        .hasMessageStartingWith("The request signature we calculated does not match");
  }

  private static String verify(String service, Instant now, SignedRequest request) {
    return new SignatureVerifier(Map.of(KEY, SECRET), service, Clock.fixed(now, ZoneOffset.UTC))
        .verify(request, Authentication.of(request));
  }

  private static SignedRequest request(
      String method, String path, String query, Map<String, String> headers, String body) {
    return new SignedRequest(
        method, path, query, new MapHeaders(headers), ByteBuffer.wrap(body.getBytes(UTF_8)));
  }

  private interface How {
    SignRequest.Builder<AwsCredentialsIdentity> of(
        SignRequest.Builder<AwsCredentialsIdentity> builder);
  }

  private static SignRequest.Builder<AwsCredentialsIdentity> inQuery(
      SignRequest.Builder<AwsCredentialsIdentity> builder) {
    return builder
        .putProperty(AwsV4HttpSigner.AUTH_LOCATION, AwsV4HttpSigner.AuthLocation.QUERY_STRING)
        .putProperty(AwsV4HttpSigner.EXPIRATION_DURATION, Duration.ofMinutes(15));
  }

  private static SignedRequest signed(How how) {
    SdkHttpRequest http =
        SdkHttpRequest.builder()
            .method(SdkHttpMethod.POST)
            .uri(URI.create("http://127.0.0.1:4567/"))
            .putHeader("Host", "127.0.0.1:4567")
            .putHeader(TARGET, "Kinesis_20131202.DescribeStream")
            .build();
    SdkHttpRequest signed =
        AwsV4HttpSigner.create()
            .sign(
                request ->
                    how.of(
                        request
                            .identity(AwsCredentialsIdentity.create(KEY, SECRET))
                            .request(http)
                            .payload(ContentStreamProvider.fromUtf8String(BODY))
                            .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "kinesis")
                            .putProperty(AwsV4HttpSigner.REGION_NAME, "eu-west-1")
                            .putProperty(
                                HttpSigner.SIGNING_CLOCK, Clock.fixed(NOW, ZoneOffset.UTC))))
            .request();
    Map<String, String> headers = new TreeMap<>();
    signed.forEachHeader((name, values) -> headers.put(name, values.get(0)));
    return request(
        "POST",
        signed.encodedPath().isEmpty() ? "/" : signed.encodedPath(),
        signed.encodedQueryParameters().orElse(null),
        headers,
        BODY);
  }

  /** Headers with one value each. */
  private record MapHeaders(Map<String, String> map) implements SignedRequest.Headers {
    @Override
    public List<String> values(String name) {
      return map.entrySet().stream()
          .filter(entry -> entry.getKey().equalsIgnoreCase(name))
          .map(Map.Entry::getValue)
          .toList();
    }

    @Override
    public Iterable<String> names() {
      return map.keySet().stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }
  }
}
