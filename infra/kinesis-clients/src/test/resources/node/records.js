// Makes a stream, writes numbered records of keys into it, reads it to its end and says what it read,
// a record a line.
import {
  CreateStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  KinesisClient,
  ListShardsCommand,
  PutRecordsCommand,
  waitUntilStreamExists,
} from '@aws-sdk/client-kinesis';

const [endpoint, stream, keys, each] = process.argv.slice(2);
const BATCH = 500;
const kinesis = new KinesisClient({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'access', secretAccessKey: 'secret' },
});

await kinesis.send(new CreateStreamCommand({ StreamName: stream, ShardCount: 2 }));
await waitUntilStreamExists({ client: kinesis, maxWaitTime: 30, minDelay: 1 }, { StreamName: stream });

const records = [];
for (let number = 0; number < each; number++) {
  for (let key = 0; key < keys; key++) {
    records.push({ PartitionKey: `key-${key}`, Data: Buffer.from(String(number)) });
  }
}
for (let start = 0; start < records.length; start += BATCH) {
  const put = await kinesis.send(
    new PutRecordsCommand({ StreamName: stream, Records: records.slice(start, start + BATCH) }),
  );
  if (put.FailedRecordCount !== 0) throw new Error(JSON.stringify(put.Records));
}

const { Shards: shards } = await kinesis.send(new ListShardsCommand({ StreamName: stream }));
for (const { ShardId } of shards) {
  const start = await kinesis.send(
    new GetShardIteratorCommand({ StreamName: stream, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
  );
  let iterator = start.ShardIterator;
  let behind;
  do {
    const got = await kinesis.send(new GetRecordsCommand({ ShardIterator: iterator }));
    for (const record of got.Records) {
      console.log(record.PartitionKey, Buffer.from(record.Data).toString());
    }
    iterator = got.NextShardIterator;
    behind = got.MillisBehindLatest;
  } while (behind > 0);
}
kinesis.destroy();
