/**
 * People with the client as it is installed from npm, each in a session of their own. Says how they
 * are, in a line of JSON, for each line that it is sent.
 */
import { createInterface } from 'node:readline';

import { SluiceClient } from 'sluice-client';
import { check } from './pass.js';

const [site, roomId, people] = process.argv.slice(2);

class Person {
  admissions = 0;
  rises = 0;
  pass = '';

  constructor(requestId) {
    this.client = new SluiceClient({
      roomId,
      requestId,
      base: site,
      backoffBase: 200,
      backoffCap: 1_000,
    });
    let last = Infinity;
    this.client.addEventListener('rank', ({ detail: { rank } }) => {
      this.rises += rank > last ? 1 : 0;
      last = rank;
    });
    this.client.addEventListener('admitted', ({ detail }) => {
      this.admissions++;
      this.pass = detail.pass;
    });
  }

  async report(keys) {
    const { place, connection } = this.client;
    const { admissions, rises, pass } = this;
    const { claims } = await check(pass, keys, roomId, Date.now());
    return {
      requestId: place.requestId,
      status: place.status,
      rank: place.rank ?? 0,
      connection,
      admissions,
      rises,
      passFor: claims?.sub ?? null,
    };
  }
}

const crowd = Array.from({ length: Number(people) }, (_, i) => new Person(`person-${i}`));
const keys = await (await fetch(`${site}/api/admission/keys`)).json();
for (const { client } of crowd) {
  await client.enter();
  client.follow();
}

createInterface({ input: process.stdin }).on('line', async () => {
  console.log(JSON.stringify(await Promise.all(crowd.map((person) => person.report(keys)))));
});
