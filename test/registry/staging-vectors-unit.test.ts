import { beforeAll, describe, expect, test } from 'vitest'
import { parseSchema, parseTable } from '../../engine/registry/staging/algorithm/parse.ts'
import type { InputMap, StagingError } from '../../engine/registry/staging/algorithm/result.ts'
import { available } from '../available.ts'
import { ENGINES, type EngineName, type StagingEngine } from './support/staging-engines.ts'
import {
  multiset,
  type Recorded,
  readAlgorithm,
  readVectors,
  sorted,
  tally,
  tallyRecorded,
  tell,
} from './support/staging-vectors.ts'

interface Process {
  readonly op: 'process'
  readonly schema: { readonly id: string }
  readonly tables: readonly unknown[]
  readonly context: InputMap
  readonly expected: {
    readonly type: 'STAGED' | 'FAILED_INPUT'
    readonly context: InputMap
    readonly errors: readonly StagingError[]
    readonly path: readonly string[]
  }
}

type Unit = Process | (Recorded & { readonly algorithm: string })

const FILE = 'unit.jsonl.gz'
const ROWS: readonly Unit[] = available.shared ? readVectors<Unit>(FILE) : []

const isProcess = (row: Unit): row is Process => row.op === 'process'
const CALLS = Map.groupBy(
  ROWS.filter((row) => !isProcess(row)),
  ({ algorithm }) => algorithm,
)

// zcat unit.jsonl.gz | jq -r '.algorithm // .op' | sort | uniq -c
const COUNTS = { cs: 42, tnm: 34, pediatric: 26, eod_public: 36, testing: 1, process: 37 }

const NAMES = Object.keys(ENGINES) as EngineName[]

describe.skipIf(!available.shared).each([...CALLS])('calls of %s', (algorithm, rows) => {
  let read: Awaited<ReturnType<typeof readAlgorithm>>
  beforeAll(async () => {
    read = await readAlgorithm(algorithm)
  })

  test.each(NAMES)('%s agrees with all of them', (name) => {
    const told = tallyRecorded(rows, ENGINES[name](read))
    tell(`${name}: ${FILE} ${algorithm}`, told)
    const count = COUNTS[algorithm as keyof typeof COUNTS]
    expect(told).toEqual({ rows: count, agreed: count })
  })
})

test.skipIf(!available.shared).each(NAMES)(
  '%s agrees with all schemas that are processed alone',
  (name) => {
    const told = tally(ROWS.filter(isProcess), (row) => {
      const { failed, context, errors, path } = engineOf(row, name).process(
        parseSchema(row.schema),
        row.context,
      )
      const type = failed ? 'FAILED_INPUT' : 'STAGED'
      const got = { type, context, errors: multiset(errors), path }
      const wanted = { ...row.expected, errors: multiset(row.expected.errors) }
      return sorted(got) === sorted(wanted) || got
    })
    tell(`${name}: ${FILE} process`, told)
    expect(told).toEqual({ rows: COUNTS.process, agreed: COUNTS.process })
  },
)

function engineOf({ schema, tables }: Process, name: EngineName): StagingEngine {
  const parsed = parseSchema(schema)
  return ENGINES[name]({
    algorithm: 'made',
    version: '1.0',
    schemas: new Map([[parsed.id, parsed]]),
    tables: new Map(tables.map(parseTable).map((table) => [table.id, table])),
    glossary: new Map(),
  })
}
