import { expect, test } from 'vitest'
import { countOf, samplesOf } from './samples.ts'

const CASE = {
  samples: [
    {
      submitter_id: 'A-01A',
      sample_type: 'Primary Tumor',
      tissue_type: null,
      portions: [
        {
          portion_id: 'p1',
          analytes: [
            { submitter_id: 'A-01A-11D', analyte_type: 'DNA', aliquots: [{ aliquot_id: 'q' }] },
          ],
          slides: [{ submitter_id: 'A-01A-TS1', percent_necrosis: 0 }],
        },
      ],
    },
    { sample_id: 's2' },
  ],
}

test('samples have their parts, with what is known of each', () => {
  const [first, second] = samplesOf(CASE)
  expect(first).toMatchObject({
    kind: 'Sample',
    name: 'A-01A',
    facts: 'Sample type: Primary Tumor',
  })
  expect(second).toEqual({ kind: 'Sample', name: 's2', facts: '', parts: [] })
  const [portion] = first?.parts ?? []
  expect(portion?.parts.map(({ kind, name, facts }) => [kind, name, facts])).toEqual([
    ['Analyte', 'A-01A-11D', 'Analyte type: DNA'],
    ['Slide', 'A-01A-TS1', 'Percent necrosis: 0'],
  ])
  expect(countOf(samplesOf(CASE), 'Aliquot')).toBe(1)
  expect(countOf(samplesOf(CASE), 'Sample')).toBe(2)
})

test('a case without samples has none', () => {
  expect(samplesOf({})).toEqual([])
})
