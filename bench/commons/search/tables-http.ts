import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Comparison, Contender, ContestOutcome } from '../../bench.ts'
import type { ChildServer } from '../../child-server.ts'
import { holdContest } from '../../rounds.ts'
import { fetchAll, fetchTo } from '../curl.ts'
import { startPlain } from '../plain-server.ts'
import { bodyOf, differenceOf } from './answers.ts'
import { peersTurn } from './http.ts'
import { type Question, SERVED_TABLES, type ServedTable } from './questions.ts'
import { urlOf } from './request.ts'
import { type Service, startService } from './service.ts'
import type { Stage } from './stage.ts'
import type { Tuning } from './tuning.ts'

const NAMES: Readonly<Record<ServedTable, string>> = {
  'tables-http-tsv': 'TSV',
  'tables-http-ndjson': 'NDJSON of ids',
  'tables-http-parquet': 'Parquet',
}

const PLAIN = 'Node file stream'
const FIRST_BYTE_MILLISECONDS = 50
/** Of the speed of a file of the same bytes. */
const SOCKET_SHARE = 0.9
const WARM_PASSES = 2

/**
 * All files of the release as tables of the service, each beside the same bytes as a file, which is what
 * a socket gives at most, and beside the better peer, which writes its own without HTTP.
 */
export async function tablesHttpContest(stage: Stage, tuning: Tuning): Promise<ContestOutcome> {
  const folder = join(stage.scratch, 'tables')
  await mkdir(folder)
  const service = await startService(stage.input.home)
  try {
    const plain = await startPlain(folder)
    try {
      const contenders: Contender[] = []
      for (const table of SERVED_TABLES) {
        const peers = await peersTurn(stage, tuning, table, peersName(table))
        const [question] = stage.questions[table]
        const path = join(folder, table)
        await save(stage, service, question!, path)
        contenders.push(
          await oursTurn(table, service, question!, path),
          plainTurn(table, plain),
          peers,
        )
      }
      for (let pass = 0; pass < WARM_PASSES; pass++) {
        for (const { turn } of contenders) await turn()
      }
      const contest = { workload: 'tables-http', unit: 'ms', rounds: stage.rounds(5) } as const
      const comparisons = SERVED_TABLES.flatMap(comparisonsOf)
      return await holdContest({ ...contest, contenders, comparisons }, stage.note)
    } finally {
      await plain.stop()
    }
  } finally {
    await service.stop()
  }
}

const peersName = (table: ServedTable) => `${NAMES[table]}, better peer without HTTP`

/** What the service answers, as a file; the engine in this process answered the same to who compared. */
async function save(
  { ours, scratch }: Stage,
  { address }: Service,
  question: Question,
  path: string,
): Promise<void> {
  await fetchTo(path, `${address}${urlOf(question)}`)
  const inProcess = join(scratch, 'ours')
  await ours.ask(question, inProcess)
  const difference = differenceOf(await bodyOf(inProcess), await bodyOf(path))
  if (difference !== undefined) throw new Error(`served and in process: ${difference}`)
}

async function oursTurn(
  table: ServedTable,
  { address }: Service,
  question: Question,
  path: string,
): Promise<Contender> {
  const { size } = await stat(path)
  const name = NAMES[table]
  // It was asked once, to be saved.
  let before = 1
  return {
    turn: async () => {
      const [fetched] = await fetchAll([`${address}${urlOf(question, before++)}`])
      const { milliseconds, firstByte, bytes } = fetched!
      if (bytes !== size) throw new Error(`${table}: ${bytes} of ${size} bytes`)
      return { [name]: milliseconds, [`${name}, first byte`]: firstByte }
    },
  }
}

function plainTurn(table: ServedTable, { address }: ChildServer): Contender {
  const name = `${NAMES[table]}, ${PLAIN}`
  return {
    turn: async () => {
      const [fetched] = await fetchAll([`${address}/${table}`])
      const { milliseconds, firstByte } = fetched!
      return { [name]: milliseconds, [`${name}, first byte`]: firstByte }
    },
  }
}

function comparisonsOf(table: ServedTable): Comparison[] {
  const ours = NAMES[table]
  const plain = `${ours}, ${PLAIN}`
  const isAtSocketSpeed = table === 'tables-http-tsv'
  return [
    { ours, peer: plain, ...(isAtSocketSpeed && { target: { atLeast: SOCKET_SHARE } }) },
    { ours, peer: peersName(table) },
    { ours: `${ours}, first byte`, target: { atMost: FIRST_BYTE_MILLISECONDS } },
  ]
}
