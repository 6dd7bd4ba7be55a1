// Tables in memory with the protocol of DynamoDB, for as long as its input is open.
import dynalite from 'dynalite';

const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit()).resume();

// Dynalite throws when the connection of a request breaks, as those of a killed worker do.
process.on('uncaughtException', (error) => {
  if (error.code !== 'ECONNRESET') {
    console.error(error);
    process.exit(1);
  }
});
