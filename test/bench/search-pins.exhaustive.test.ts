import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../bench/commons/search/answers.ts'
import { openDatabase } from '../../bench/commons/search/duckdb/database.ts'
import { loadTables } from '../../bench/commons/search/duckdb/load.ts'
import { withDuck } from '../../bench/commons/search/duckdb/peer.ts'
import type { Form } from '../../bench/commons/search/form.ts'
import { fillHome, fillNested, type Input } from '../../bench/commons/search/input.ts'
import { openOurs, oursForm } from '../../bench/commons/search/ours.ts'
import { PINS, selectedBy } from '../../bench/commons/search/pins.ts'
import {
  QUESTION_SETS,
  type Question,
  type QuestionSet,
  questionsOf,
} from '../../bench/commons/search/questions.ts'
import { idsOf, scanDocuments } from '../../bench/commons/search/scan.ts'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { makeRelease } from '../../fixtures/release/make-release.ts'
import { isExhaustive } from '../depth.ts'

// The benchmark measures nothing unless all answers are equal and select the pinned results. This test checks
// the same for a release that takes a second to make; the pins came from a plain reading of the documents (see
// pins.ts).

let folder = ''
let input: Input
let questions: Readonly<Record<QuestionSet, readonly Question[]>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-search-pins-'))
  const documents = join(folder, 'documents')
  await makeRelease({ folder: documents, scale: 'tiny', seed: 1 })
  const duck = join(folder, 'tables.duckdb')
  const nested = join(folder, 'nested.duckdb')
  const home = join(folder, 'home')
  input = { name: 'test', documents, home, duck, nested, postgres: undefined, seconds: {} }
  const ids = await idsOf(documents)
  questions = questionsOf('test', ids.length, (row) => ids[row]!)
  const database = await openDatabase(duck, 'READ_WRITE')
  await loadTables(await database.connect(), documents, () => {})
  database.close()
  await fillNested(nested, documents, duck)
  await fillHome(home, documents, inlineExecutor)
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

test('a plain reading of the documents selects what is pinned', async () => {
  expect(await scanDocuments(input.documents, 'test')).toEqual(withoutRecords(PINS.test))
})

test.each(QUESTION_SETS)('every way of DuckDB selects what is pinned for %s', async (workload) => {
  const asked = questions[workload]
  await withDuck(input, async ({ forms }) => {
    for (const form of forms(asked[0]!.kind)) {
      const answers = await answersOf(form, asked)
      expect(selectedIn(workload, answers), form.name).toEqual(PINS.test[workload])
    }
  })
})

test.each(QUESTION_SETS)('the engine gives the answers of DuckDB to %s', async (workload) => {
  const asked = questions[workload]
  const engine = await openOurs(input.home, inlineExecutor)
  try {
    const ours = await answersOf(oursForm(engine), asked)
    expect(selectedIn(workload, ours)).toEqual(PINS.test[workload])
    await withDuck(input, async ({ forms }) => {
      expect(ours).toEqual(await answersOf(forms(asked[0]!.kind)[0]!, asked))
    })
  } finally {
    await engine.close()
  }
})

describe.skipIf(!isExhaustive)('of the quick input', () => {
  test('a plain reading of the documents selects what is pinned', async () => {
    const documents = join(folder, 'quick')
    await makeRelease({
      folder: documents,
      scale: 'demo',
      seed: 1,
      datasets: ['projects', 'cases', 'files'],
    })
    expect(await scanDocuments(documents, 'quick')).toEqual(withoutRecords(PINS.quick))
  })
})

async function answersOf(form: Form, asked: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const question of asked) {
    answers.push(await (await form.ask(question, join(folder, 'body'))).answer())
  }
  return answers
}

function selectedIn(workload: QuestionSet, answers: readonly Answer[]) {
  return answers
    .slice(0, PINS.test[workload].length)
    .map((answer, i) => selectedBy(questions[workload][i]!, answer))
}

/** Omits the pins of single records, because the scan looks at one of the thousand. */
function withoutRecords({ record, ...pins }: (typeof PINS)['test']) {
  return { ...pins, record: record.slice(0, 1) }
}
