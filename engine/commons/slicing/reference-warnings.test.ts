import { expect, test } from 'vitest'
import { parseInterval } from '../../shared/input/region.ts'
import { Warnings } from '../../shared/input/warnings.ts'
import { warnOfReferences } from './reference-warnings.ts'

function textsOf(regions: readonly string[], names: readonly string[]) {
  const warnings = new Warnings()
  const intervals = regions.map((region) => parseInterval(region, 'regions'))
  const numberOf = new Map(names.map((name, number) => [name, number]))
  warnOfReferences({ intervals }, { numberOf }, warnings)
  return warnings.texts
}

const HUMAN = ['chr1', 'chr17', 'chrX', 'chrM', 'HPV16ref']

test.each([
  [['chr17:1-5', 'chrX'], {}],
  [['17:1-5'], { regions: 'the file has no reference "17"; did you mean "chr17"?' }],
  [['Chr17', 'Chr17:9'], { regions: 'the file has no reference "Chr17"; did you mean "chr17"?' }],
  [['MT'], { regions: 'the file has no reference "MT"; did you mean "chrM"?' }],
  [['HPV16'], { regions: 'the file has no reference "HPV16"; did you mean "HPV16ref"?' }],
  [['unheardof'], { regions: 'the file has no reference "unheardof"' }],
])('%j on a human file', (regions, texts) => {
  expect(textsOf(regions, HUMAN)).toEqual(texts)
})

test('of many references five are named, and of many names some are compared', () => {
  const regions = Array.from({ length: 10_000 }, (_, i) => `q${i}`)
  const names = Array.from({ length: 50_000 }, (_, i) => `ENST${i}`)
  expect(textsOf(regions, names).regions).toMatch(
    /^the file has no reference "q0".*"q4"; 9995 more such references$/,
  )
})
