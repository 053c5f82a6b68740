import { openDatabase } from '../../../engine/shared/database/open.ts'
import type { Dictionary } from '../../../engine/submission/dictionary/dictionary.ts'
import { SUBMISSION_TABLES } from '../../../engine/submission/transactions/store/tables.ts'
import { Submission } from '../../../engine/submission/transactions/submission.ts'
import { startSqliteThread } from '../../../workers/sqlite-thread.ts'
import { madeTypes } from './naive-graph.ts'

// Submits batch after batch to a project of a database until it is killed, and prints what was acknowledged of
// each: `node submit-until-killed.ts DATABASE ROUND`.

const [path = '', round = ''] = process.argv.slice(2)
const dictionary = { types: madeTypes() } as Dictionary
const submission = new Submission({
  database: await openDatabase({ path, startThread: startSqliteThread }, [SUBMISSION_TABLES]),
  dictionary: { current: async () => dictionary },
})
await submission.start({ isAlone: true })
const principal = { user: 'a', admin: true, projects: new Map() }
const request = {
  principal,
  tokenGiven: true,
  program: 'A',
  project: 'B',
  path: '/A/B',
  operation: 'create',
  format: 'json',
} as const

/** Submits a batch of three documents, each linked to the previous one. */
async function submit(n: number): Promise<void> {
  const names = ['case', 'one', 'either'].map((type) => `${type} ${round} ${n}`)
  const [first, second, third] = names
  const body = [
    { type: 'case', submitter_id: first, size: n },
    { type: 'one', submitter_id: second, size: n, cases: { submitter_id: first } },
    { type: 'either', submitter_id: third, size: n, ones: { submitter_id: second } },
  ]
  const isDryRun = n % 5 === 0
  const isAsync = n % 7 === 0
  const bytes = Buffer.from(JSON.stringify(body))
  const answer = await submission.upload({ ...request, body: bytes, isDryRun, isAsync })
  const { transaction_id: id } = answer.body as { transaction_id: number }
  process.stdout.write(`${JSON.stringify({ id, names, isDryRun, isAsync })}\n`)
}

for (let n = 1; ; n += 4) {
  await Promise.all([n, n + 1, n + 2, n + 3].map(submit))
}
