package dev.sluice.kinesis.clients;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** Dynalite, where KCL keeps its leases. */
final class LeaseTables implements AutoCloseable {
  private static final String KEY = "leaseKey";
  private static final String OWNER = "leaseOwner";

  private final Process dynalite;
  private final int port;

  LeaseTables() throws IOException {
    dynalite = Node.start("tables.js");
    port =
        Integer.parseInt(
            new BufferedReader(
                    new InputStreamReader(dynalite.getInputStream(), StandardCharsets.UTF_8))
                .readLine());
  }

  int port() {
    return port;
  }

  /** With the index of KCL 3, which dynalite can't add to a table that is there. */
  void create(String application) {
    try (DynamoDbClient client =
        DynamoDbClient.builder()
            .endpointOverride(Endpoints.uri(port))
            .region(Endpoints.REGION)
            .credentialsProvider(Endpoints.CREDENTIALS)
            .build()) {
      client.createTable(
          table ->
              table
                  .tableName(application)
                  .billingMode(BillingMode.PAY_PER_REQUEST)
                  .attributeDefinitions(attribute(KEY), attribute(OWNER))
                  .keySchema(part(KEY, KeyType.HASH))
                  .globalSecondaryIndexes(
                      GlobalSecondaryIndex.builder()
                          .indexName("LeaseOwnerToLeaseKeyIndex")
                          .keySchema(part(OWNER, KeyType.HASH), part(KEY, KeyType.RANGE))
                          .projection(keys -> keys.projectionType(ProjectionType.KEYS_ONLY))
                          .build()));
    }
  }

  private static AttributeDefinition attribute(String name) {
    return AttributeDefinition.builder()
        .attributeName(name)
        .attributeType(ScalarAttributeType.S)
        .build();
  }

  private static KeySchemaElement part(String attribute, KeyType type) {
    return KeySchemaElement.builder().attributeName(attribute).keyType(type).build();
  }

  @Override
  public void close() {
    dynalite.destroy();
  }
}
