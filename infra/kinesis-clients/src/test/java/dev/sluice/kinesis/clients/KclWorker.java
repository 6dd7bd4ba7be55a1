package dev.sluice.kinesis.clients;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import software.amazon.awssdk.services.cloudwatch.CloudWatchAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.kinesis.KinesisAsyncClient;
import software.amazon.kinesis.common.ConfigsBuilder;
import software.amazon.kinesis.common.InitialPositionInStream;
import software.amazon.kinesis.common.InitialPositionInStreamExtended;
import software.amazon.kinesis.common.KinesisClientUtil;
import software.amazon.kinesis.coordinator.Scheduler;
import software.amazon.kinesis.exceptions.InvalidStateException;
import software.amazon.kinesis.exceptions.ShutdownException;
import software.amazon.kinesis.leases.LeaseManagementConfig;
import software.amazon.kinesis.lifecycle.events.InitializationInput;
import software.amazon.kinesis.lifecycle.events.LeaseLostInput;
import software.amazon.kinesis.lifecycle.events.ProcessRecordsInput;
import software.amazon.kinesis.lifecycle.events.ShardEndedInput;
import software.amazon.kinesis.lifecycle.events.ShutdownRequestedInput;
import software.amazon.kinesis.metrics.NullMetricsFactory;
import software.amazon.kinesis.processor.RecordProcessorCheckpointer;
import software.amazon.kinesis.processor.ShardRecordProcessor;
import software.amazon.kinesis.processor.SingleStreamTracker;
import software.amazon.kinesis.retrieval.KinesisClientRecord;
import software.amazon.kinesis.retrieval.RetrievalConfig;
import software.amazon.kinesis.retrieval.polling.PollingConfig;

/**
 * A worker of KCL 2 or 3, whichever is on the class path, that says what it processes: lines of the
 * time, key and data. Ends when its input does.
 */
final class KclWorker {
  private static final long FAILOVER_MILLIS = 2_000;
  private static final long LEADER_MILLIS = 4_000;
  private static final long HEARTBEAT_MILLIS = 1_000;
  private static final long SHARD_SYNC_MILLIS = 1_000;
  private static final long IDLE_MILLIS = 250;

  private KclWorker() {}

  /**
   * @param arguments KCL's major version, how records are fetched, the application, the stream, the
   *     ports of Kinesis and of DynamoDB
   */
  public static void main(String... arguments) {
    endWithInput();
    boolean third = arguments[0].equals("3");
    boolean polling = arguments[1].equals("polling");
    String application = arguments[2];
    String stream = arguments[3];
    int kinesisPort = Integer.parseInt(arguments[4]);
    int tablesPort = Integer.parseInt(arguments[5]);

    KinesisAsyncClient kinesis =
        KinesisClientUtil.createKinesisAsyncClient(
            KinesisAsyncClient.builder()
                .endpointOverride(Endpoints.uri(kinesisPort))
                .region(Endpoints.REGION)
                .credentialsProvider(Endpoints.CREDENTIALS));
    DynamoDbAsyncClient tables =
        DynamoDbAsyncClient.builder()
            .endpointOverride(Endpoints.uri(tablesPort))
            .region(Endpoints.REGION)
            .credentialsProvider(Endpoints.CREDENTIALS)
            .build();
    // Never asked: the metrics go nowhere.
    CloudWatchAsyncClient metrics =
        CloudWatchAsyncClient.builder()
            .region(Endpoints.REGION)
            .credentialsProvider(Endpoints.CREDENTIALS)
            .build();

    ConfigsBuilder configs =
        new ConfigsBuilder(
            new SingleStreamTracker(
                stream,
                InitialPositionInStreamExtended.newInitialPosition(
                    InitialPositionInStream.TRIM_HORIZON)),
            application,
            kinesis,
            tables,
            metrics,
            UUID.randomUUID().toString(),
            Processor::new);
    LeaseManagementConfig leases =
        configs
            .leaseManagementConfig()
            .failoverTimeMillis(FAILOVER_MILLIS)
            .shardSyncIntervalMillis(SHARD_SYNC_MILLIS);
    if (third) {
      leases
          .leaseAssignmentIntervalMillis(FAILOVER_MILLIS)
          .dynamoDbLockBasedLeaderLeaseDurationInMillis(LEADER_MILLIS)
          .dynamoDbLockBasedLeaderHeartbeatPeriodInMillis(HEARTBEAT_MILLIS)
          .workerUtilizationAwareAssignmentConfig()
          .disableWorkerMetrics(true)
          .workerMetricsReporterFreqInMillis(HEARTBEAT_MILLIS);
    }
    RetrievalConfig retrieval = configs.retrievalConfig();
    if (polling) {
      retrieval.retrievalSpecificConfig(
          new PollingConfig(stream, kinesis).idleTimeBetweenReadsInMillis(IDLE_MILLIS));
    }
    new Scheduler(
            configs.checkpointConfig(),
            configs.coordinatorConfig().parentShardPollIntervalMillis(SHARD_SYNC_MILLIS),
            leases,
            configs.lifecycleConfig(),
            configs.metricsConfig().metricsFactory(new NullMetricsFactory()),
            configs.processorConfig(),
            retrieval)
        .run();
  }

  private static void endWithInput() {
    Thread input =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {}
              } catch (IOException e) {
                // as good as its end
              }
              Runtime.getRuntime().halt(0);
            },
            "input");
    input.setDaemon(true);
    input.start();
  }

  /** Of one shard. */
  private static final class Processor implements ShardRecordProcessor {
    @Override
    public void initialize(InitializationInput input) {}

    @Override
    public void processRecords(ProcessRecordsInput input) {
      for (KinesisClientRecord record : input.records()) {
        // In one write, so that no line is cut off when this JVM is killed.
        System.out.println(
            System.currentTimeMillis()
                + " "
                + record.partitionKey()
                + " "
                + StandardCharsets.UTF_8.decode(record.data()));
      }
      checkpoint(input.checkpointer());
    }

    @Override
    public void leaseLost(LeaseLostInput input) {}

    @Override
    public void shardEnded(ShardEndedInput input) {
      checkpoint(input.checkpointer());
    }

    @Override
    public void shutdownRequested(ShutdownRequestedInput input) {
      checkpoint(input.checkpointer());
    }

    private static void checkpoint(RecordProcessorCheckpointer checkpointer) {
      try {
        checkpointer.checkpoint();
      } catch (ShutdownException e) {
        // another worker has the shard by now
      } catch (InvalidStateException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
