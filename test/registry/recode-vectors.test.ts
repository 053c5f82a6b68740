import { describe, expect, test } from 'vitest'
import { findRecode, findVersion } from '../../engine/registry/recodes/answer.ts'
import { RECODES } from '../../engine/registry/recodes/recodes.ts'
import { available } from '../available.ts'
import { RECODE_FILES, readRecodeVectors } from './support/recode-vectors.ts'
import { tally, tell } from './support/staging-vectors.ts'

describe.skipIf(!available.shared)('recorded recodes', () => {
  test.each(RECODE_FILES)('all of $file agree', ({ file, count, recode, output }) => {
    const found = findRecode(RECODES, recode)
    const made = new Map(found.versions.map((one) => [one.id, one.make()]))
    const counted = tally(readRecodeVectors(file), ({ version, input, expected, isExtended }) => {
      const told = made.get(findVersion(found, version).id)?.(input) ?? {}
      // The edition without extended groups has no extended group.
      const code = isExtended ? (told.extended_group ?? '999') : told[output]
      return (code ?? null) === expected || told
    })
    tell(`recodes: ${file}`, counted)
    expect(counted).toEqual({ rows: count, agreed: count })
  })
})
