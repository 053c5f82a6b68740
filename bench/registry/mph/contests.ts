import { compareLine } from '../../../engine/registry/multiple-primaries/compare-lines.ts'
import { comparePair } from '../../../engine/registry/multiple-primaries/compare-pair.ts'
import type { Rules } from '../../../engine/registry/multiple-primaries/rules.ts'
import { parsePair, type TumourPair } from '../../../engine/registry/multiple-primaries/tumour.ts'
import type { Contest } from '../../bench.ts'
import type { Service } from '../../commons/search/service.ts'
import { sendLines } from '../line-batch.ts'
import { ownProcessorTime, processorTime } from '../staging/processor-time.ts'
import { piecesOf } from '../staging/text.ts'
import { byModule, type Recorded } from './input.ts'
import type { NaiveRules } from './naive.ts'

/** All that the contests need. */
export interface Ground {
  readonly pairs: readonly Recorded[]
  /** The pairs as lines. */
  readonly lines: string
  /** A file with the lines so many times. */
  readonly path: string
  readonly times: number
  readonly rules: Rules
  readonly naive: NaiveRules
  readonly service: Service
  readonly key: string
  readonly rounds: (usual: number) => number
  /** Pairs of a turn, of each module by itself. */
  readonly turnOfModule: number
}

export const PARSED = 'parsed pairs'
export const TEXT = 'text in, text out'
export const RULE_BY_RULE = 'rule by rule'
export const JSON_ALONE = 'JSON read and written'
export const BATCH = 'batch over HTTP'

/** Pairs a second and core. */
const PARSED_RATE = 300_000

/** Processor time of one thread and what V8 does for it behind. */
export function inProcessContest({ pairs, lines, rules, naive, rounds }: Ground): Contest {
  const parsed = pairs.map(({ pair }) => parsePair(pair))
  const pieces = piecesOf(Buffer.from(lines))
  const answer = compareLine(rules)
  const turn = (name: string, work: () => void) => ({
    turn: async () => ({ [name]: await ownProcessorTime(work) }),
  })
  return {
    workload: 'pairs',
    unit: 'ms',
    rounds: rounds(9),
    contenders: [
      turn(PARSED, () => {
        for (const pair of parsed) comparePair(rules, pair)
      }),
      turn(TEXT, () => {
        for (const piece of pieces) answerText(piece, answer)
      }),
      turn(RULE_BY_RULE, () => {
        for (const pair of parsed) naive.compare(pair)
      }),
      turn(JSON_ALONE, () => {
        for (const piece of pieces) answerText(piece, JSON.stringify)
      }),
    ],
    comparisons: [
      { ours: PARSED, target: { atMost: (pairs.length / PARSED_RATE) * 1000 } },
      { ours: PARSED, peer: RULE_BY_RULE },
      { ours: TEXT, peer: JSON_ALONE, as: 'times as long' },
    ],
  }
}

/** As little around it as can be: no line is suspected of being anything but a pair. */
export function answerText(piece: Uint8Array, answer: (line: unknown) => string): Uint8Array {
  const lines = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString().split('\n')
  // What follows the last line's end is none.
  lines.pop()
  const answers = lines.map((line) => answer(JSON.parse(line)))
  answers.push('')
  return Buffer.from(answers.join('\n'))
}

/** Parsed pairs of each module by itself, as many of each. */
export function moduleContest({ pairs, rules, rounds, turnOfModule }: Ground): Contest {
  const modules = [...byModule(pairs)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, some]) => [name, some.map((pair) => parsePair(pair))] as const)
  return {
    workload: 'modules',
    unit: 'ms',
    rounds: rounds(5),
    contenders: modules.map(([name, some]) => ({
      turn: async () => ({
        [name]: await ownProcessorTime(() => compareMany(rules, some, turnOfModule)),
      }),
    })),
    comparisons: modules.map(([ours]) => ({ ours })),
  }
}

function compareMany(rules: Rules, pairs: readonly TumourPair[], count: number): void {
  for (let i = 0; i < count; i++) comparePair(rules, pairs[i % pairs.length]!)
}

/** All pairs in one request to a service with two threads; and what it uses of the processors. */
export function batchContest({ path, key, service, rounds }: Ground): Contest {
  const order = { address: service.address, key, path: '/rest/mph/batch', lines: path }
  const used = `${BATCH}, processors`
  return {
    workload: 'batch',
    unit: 'ms',
    rounds: rounds(9),
    contenders: [
      {
        turn: async () => {
          const before = processorTime(service.pid)
          const took = await sendLines(order, '/dev/null')
          return { [BATCH]: took, [used]: processorTime(service.pid) - before }
        },
      },
    ],
    comparisons: [{ ours: BATCH }, { ours: used }],
  }
}
