import { open } from 'node:fs/promises'
import { type Engine, openEngine } from '../../../engine/engine.ts'
import type { Executor } from '../../../engine/shared/executor.ts'
import { type Answer, type Buckets, bodyOf, plainRecord, type Value } from './answers.ts'
import { type Form, NOWHERE, type Reply } from './form.ts'
import { FACETS, type Question } from './questions.ts'
import { requestOf } from './request.ts'
import { exportFormatOf, tableIn } from './tables.ts'

/** Opens a data folder and its current release. */
export async function openOurs(dataFolder: string, executor: Executor): Promise<Engine> {
  const engine = await openEngine({ dataFolder, executor })
  await engine.start()
  return engine
}

/** The engine in this process, from the parameters to the last byte of the body. */
export function oursForm(engine: Engine): Form {
  let asked = 0
  return {
    name: 'casemill',
    ask(question, path) {
      const { kind } = question
      const isBody = kind === 'table' || kind === 'manifest' || exportFormatOf(kind) !== undefined
      return isBody ? askBody(engine, question, path, asked++) : askJson(engine, question)
    },
  }
}

const start = (engine: Engine, question: Question, before = 0) => {
  const { dataset, id, request } = requestOf(question, before)
  return id === undefined
    ? engine.commons.search.search(dataset, request)
    : engine.commons.search.record(dataset, id, request)
}

async function askJson(engine: Engine, question: Question): Promise<Reply> {
  const began = performance.now()
  const { body } = await start(engine, question)
  const chunks: Uint8Array[] = []
  let firstByte = 0
  for await (const chunk of body) {
    if (chunks.length === 0) firstByte = performance.now() - began
    chunks.push(Uint8Array.from(chunk))
  }
  const answer = () => answerOf(question, JSON.parse(Buffer.concat(chunks).toString()))
  return { firstByte, answer }
}

async function askBody(
  engine: Engine,
  question: Question,
  path: string,
  before: number,
): Promise<Reply> {
  const began = performance.now()
  const { body } = await start(engine, question, before)
  const file = path === NOWHERE ? undefined : await open(path, 'w')
  let firstByte = 0
  try {
    for await (const chunk of body) {
      firstByte ||= performance.now() - began
      await file?.writeFile(chunk)
    }
  } finally {
    await file?.close()
  }
  const format = exportFormatOf(question.kind)
  const answer = async () =>
    format ? { table: await tableIn(format, path) } : { body: await bodyOf(path) }
  return { firstByte, answer }
}

interface Envelope {
  readonly data: {
    readonly hits: readonly Value[]
    readonly pagination: { readonly total: number }
    readonly aggregations?: Readonly<
      Record<
        string,
        { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] }
      >
    >
  }
}

/** What a body of the interface says (data-commons.md 3.1, 3.4), as it is compared. */
function answerOf(question: Question, body: Envelope): Answer {
  const { hits, pagination, aggregations } = body.data
  switch (question.kind) {
    case 'record':
      return { records: [plainRecord(body.data as unknown as Value)] }
    case 'records':
      return { records: hits.map(plainRecord) }
    case 'page':
    case 'aliquots':
      return { total: pagination.total, records: hits.map(plainRecord) }
    case 'facets': {
      const facets = FACETS.map((facet): [string, Buckets] => {
        const { buckets } = aggregations?.[facet] ?? { buckets: [] }
        return [facet, buckets.map(({ key, doc_count }) => [key, doc_count] as const)]
      })
      return { total: pagination.total, facets: Object.fromEntries(facets) }
    }
    default:
      return { total: pagination.total }
  }
}
