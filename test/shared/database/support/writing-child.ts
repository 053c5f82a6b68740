import { writeSync } from 'node:fs'
import { openDatabase } from '../../../../engine/shared/database/open.ts'
import { startSqliteThread } from '../../../../workers/sqlite-thread.ts'

// Writes one batch of rows after the other until it is killed, and prints each acknowledged one.

const [place = '', first = '0'] = process.argv.slice(2)
const isUrl = place.startsWith('postgresql:')
const database = await openDatabase(
  isUrl ? { url: place } : { path: place, startThread: startSqliteThread },
  [
    {
      name: 'tests',
      steps: [
        `CREATE TABLE rows (batch {integer} NOT NULL, row {integer} NOT NULL, size {integer} NOT NULL,
          PRIMARY KEY (batch, row)) {strict by key}`,
      ],
    },
  ],
)
const sql = 'INSERT INTO rows (batch, row, size) VALUES (?, ?, ?)'
for (let batch = Number(first); ; batch++) {
  const size = batch % 5 === 0 ? 500 : 3
  await database.write(async (transaction) => {
    await transaction.run(sql, [batch, 0, size])
    const rest = Array.from({ length: size - 1 }, (_, i) => [batch, i + 1, size])
    await transaction.runEach(sql, rest)
  })
  writeSync(1, `${batch}\n`)
}
