import { beforeAll, describe, expect, test } from 'vitest'
import { available } from '../../available.ts'
import { isExhaustive } from '../../depth.ts'
import { ENGINES, type EngineName, type StagingEngine } from './staging-engines.ts'
import { filesOfCs, readAlgorithm, tallyCs, tell } from './staging-vectors.ts'

/** The number of rows of each of the 85 files. */
const ROWS = 2000
const FILES = 85

/** Tests every fourth file of the CS integration vectors, so that four test files share them. */
export function testCsQuarter(quarter: 0 | 1 | 2 | 3): void {
  const files = filesOfCs().filter((_file, i) => i % 4 === quarter)
  // The interpreter is the reference for random cases in the exhaustive run.
  const names = (Object.keys(ENGINES) as EngineName[]).slice(0, isExhaustive ? undefined : 1)

  describe.skipIf(!available.shared).each(names)('%s', (name) => {
    let engine: StagingEngine

    beforeAll(async () => {
      engine = ENGINES[name](await readAlgorithm('cs'))
    })

    test.each(files)('agrees with all rows of %s', (file) => {
      const tally = tallyCs(file, engine)
      tell(`${name}: cs/${file}`, tally)
      expect(tally).toEqual({ rows: ROWS, agreed: ROWS })
    })
  })

  test.skipIf(!available.shared)('no file is left out', () => {
    expect(filesOfCs()).toHaveLength(FILES)
    expect(files.length).toBe(quarter === 0 ? 22 : 21)
  })
}
