import { expect, test } from 'vitest'
import type { InputMap } from '../../engine/registry/staging/algorithm/result.ts'
import { available } from '../available.ts'
import { ENGINES, type EngineName } from './support/staging-engines.ts'
import { readAlgorithm, readVectors, tally, tell } from './support/staging-vectors.ts'

interface Row {
  readonly input: InputMap
  /** Null if there is not exactly one schema. */
  readonly expected_schema: string | null
}

const FILE = 'cs-schema-identification.jsonl.gz'
// zcat FILE | wc -l
const ROWS = 44_978

test.skipIf(!available.shared).each(Object.keys(ENGINES) as EngineName[])(
  '%s finds the schema of every row',
  async (name) => {
    const engine = ENGINES[name](await readAlgorithm('cs'))
    const told = tally(readVectors<Row>(FILE), ({ input, expected_schema }) => {
      const found = engine.lookup(input)
      const only = found.length === 1 ? found[0] : null
      return only === expected_schema || found
    })
    tell(`${name}: ${FILE}`, told)
    expect(told).toEqual({ rows: ROWS, agreed: ROWS })
  },
)
