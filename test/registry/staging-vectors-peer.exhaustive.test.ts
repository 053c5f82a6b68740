import { describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { ENGINES, type EngineName } from './support/staging-engines.ts'
import {
  type Recorded,
  readAlgorithm,
  readVectors,
  type Tally,
  tallyRecorded,
  tell,
} from './support/staging-vectors.ts'

type OfVersion = Recorded & { readonly algorithm: string; readonly version: string }

// The number of rows of each file, by `zcat FILE | wc -l`.
const FILES: Readonly<Record<string, number>> = {
  'peer-cs-stage.jsonl.gz': 3795,
  'peer-cs-match.jsonl.gz': 3270,
  'peer-tnm-stage.jsonl.gz': 3795,
  'peer-tnm-match.jsonl.gz': 2988,
  'peer-eod_public-stage.jsonl.gz': 3630,
  'peer-eod_public-match.jsonl.gz': 2388,
  'peer-pediatric-stage.jsonl.gz': 726,
  'peer-pediatric-match.jsonl.gz': 267,
  'peer-partial-lookup.jsonl.gz': 3464,
}

describe.skipIf(!available.shared).each(Object.keys(ENGINES) as EngineName[])('%s', (name) => {
  test.each(Object.entries(FILES))('agrees with all of %s', async (file, count) => {
    const tally = await tallyFile(file, name)
    tell(`${name}: ${file}`, tally)
    expect(tally).toEqual({ rows: count, agreed: count })
  })
})

/** Tallies the rows of one algorithm in a file that may contain several. */
async function tallyFile(file: string, name: EngineName): Promise<Tally> {
  let sum: Tally = { rows: 0, agreed: 0 }
  const rows = Map.groupBy(readVectors<OfVersion>(file), ({ algorithm }) => algorithm)
  for (const [algorithm, recorded] of rows) {
    const engine = ENGINES[name](await readAlgorithm(algorithm))
    const tally = tallyRecorded(recorded, engine)
    sum = { ...tally, ...sum, rows: sum.rows + tally.rows, agreed: sum.agreed + tally.agreed }
  }
  return sum
}
