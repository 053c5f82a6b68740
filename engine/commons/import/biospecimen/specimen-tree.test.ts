import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { depth } from '../../../../test/depth.ts'
import type { JsonObject } from '../../../shared/input/json-value.ts'
import { identify } from './identify.ts'
import { observeSamples } from './observe.ts'
import { SpecimenTree } from './specimen-tree.ts'

type Samples = readonly JsonObject[]

/** Returns the samples that result from several sources' descriptions of one case, and those of its files. */
function settle(ofCase: readonly Samples[], ofFiles: readonly (readonly Samples[])[] = []) {
  const describe = (samples: Samples) => ({ rank: 0, specimens: observeSamples([...samples]) })
  const cases = ofCase.map(describe)
  const files = ofFiles.map((texts) => texts.map(describe))
  const together = files.map((texts) => texts.flatMap(({ specimens }) => specimens))
  const all = [...cases, ...files.flat()]
  const identified = identify(
    all.flatMap(({ specimens }) => specimens),
    together,
  )
  const tree = new SpecimenTree(all, identified, new Map())
  return { samples: tree.samples(), files: together.map((each) => tree.samplesOf(each)) }
}

const aliquotOf = (aliquot: JsonObject, sample: JsonObject = {}): JsonObject => ({
  ...sample,
  portions: [{ analytes: [{ aliquots: [aliquot] }] }],
})

describe('a specimen is recognised', () => {
  test('by its id, whatever else is said of it', () => {
    const { samples } = settle([
      [{ sample_id: 'S', sample_type: 'Primary Tumor' }],
      [{ sample_id: 's', submitter_id: 'N', portions: [{ portion_id: 'p' }] }],
    ])
    expect(samples).toEqual([
      {
        sample_id: 's',
        submitter_id: 'N',
        sample_type: 'Primary Tumor',
        portions: [{ portion_id: 'p' }],
      },
    ])
  })

  test('by its name where one source knows the id and another one does not', () => {
    const { samples } = settle([
      [{ submitter_id: 'N', sample_type: 'Metastatic' }],
      [{ sample_id: 's', submitter_id: 'N' }],
      [{ sample_id: 's', initial_weight: 3 }],
    ])
    expect(samples).toEqual([
      { sample_id: 's', submitter_id: 'N', sample_type: 'Metastatic', initial_weight: 3 },
    ])
  })

  test('by the barcode of what was taken from it', () => {
    const { samples, files } = settle(
      [[{ sample_id: 's', submitter_id: 'TCGA-86-A4D0-01A', sample_type: 'Primary Tumor' }]],
      [[[aliquotOf({ aliquot_id: 'q', submitter_id: 'TCGA-86-A4D0-01A-11R-A24H-07' })]]],
    )
    const whole = [
      {
        sample_id: 's',
        submitter_id: 'TCGA-86-A4D0-01A',
        sample_type: 'Primary Tumor',
        portions: [
          {
            submitter_id: 'TCGA-86-A4D0-01A-11',
            analytes: [
              {
                submitter_id: 'TCGA-86-A4D0-01A-11R',
                aliquots: [{ aliquot_id: 'q', submitter_id: 'TCGA-86-A4D0-01A-11R-A24H-07' }],
              },
            ],
          },
        ],
      },
    ]
    expect(samples).toEqual(whole)
    expect(files).toEqual([whole])
  })

  test('by what was taken from it', () => {
    const { samples } = settle([
      [aliquotOf({ aliquot_id: 'q' }, { sample_type: 'Primary Tumor' })],
      [
        {
          sample_id: 's',
          portions: [
            { portion_id: 'p', analytes: [{ analyte_id: 'n', aliquots: [{ aliquot_id: 'q' }] }] },
          ],
        },
      ],
      [aliquotOf({ aliquot_id: 'q', concentration: 2 })],
    ])
    expect(samples).toEqual([
      {
        sample_id: 's',
        sample_type: 'Primary Tumor',
        portions: [
          {
            portion_id: 'p',
            analytes: [{ analyte_id: 'n', aliquots: [{ aliquot_id: 'q', concentration: 2 }] }],
          },
        ],
      },
    ])
  })

  test('by its file, when that is of one sample and of one aliquot', () => {
    const sheet = [{ submitter_id: 'N-1', sample_type: 'Primary Tumor' }]
    const cart = [aliquotOf({ aliquot_id: 'q' })]
    const joined = [aliquotOf({ aliquot_id: 'q' }, sheet[0])]
    expect(settle([], [[sheet, cart]])).toEqual({ samples: joined, files: [joined] })
    // It is unknown to which of the two samples it belongs.
    const two = [...sheet, { submitter_id: 'N-2' }]
    expect(settle([], [[two, cart]]).samples).toHaveLength(3)
    // A sample that is identified by its own aliquot is not the same as another sample.
    expect(settle([], [[joined, [aliquotOf({ aliquot_id: 'r' })]]]).samples).toHaveLength(2)
  })
})

describe('specimens stay apart', () => {
  test('with different ids, whatever they are called', () => {
    const [one, other] = [
      { sample_id: 's', submitter_id: 'N' },
      { sample_id: 't', submitter_id: 'N' },
    ]
    expect(settle([[one], [other], [{ submitter_id: 'N', state: 'x' }]]).samples).toEqual([
      { ...one, state: 'x' },
      other,
    ])
  })

  test('when nobody names them and what is said of them differs; said again they are the same', () => {
    const samples = [{ sample_type: 'Primary Tumor' }, { sample_type: 'Blood Derived Normal' }]
    expect(settle([samples, samples]).samples).toEqual(samples.toReversed())
  })

  test('when a list names them together and says nothing of where they belong', () => {
    const list = [
      { portions: [{ analytes: [{ aliquots: [{ aliquot_id: 'q' }, { aliquot_id: 'r' }] }] }] },
    ]
    const known = [
      aliquotOf({ aliquot_id: 'q' }, { sample_id: 's' }),
      aliquotOf({ aliquot_id: 'r' }, { sample_id: 't' }),
    ]
    expect(settle([list]).samples).toEqual(list)
    expect(settle([list, known]).samples).toEqual(known)
  })
})

describe('what was pooled', () => {
  const pooled = [
    aliquotOf({ aliquot_id: 'q' }, { sample_id: 's' }),
    aliquotOf({ aliquot_id: 'q', amount: 1 }, { sample_id: 't' }),
  ]
  const shown = ['s', 't'].map((id) => aliquotOf({ aliquot_id: 'q', amount: 1 }, { sample_id: id }))

  test('stands in each of its samples, once', () => {
    expect(settle([pooled, [aliquotOf({ aliquot_id: 'q' })]]).samples).toEqual(shown)
  })

  test('brings a file of it all of its samples', () => {
    const { files } = settle([pooled], [[[aliquotOf({ aliquot_id: 'q' })]]])
    expect(files).toEqual([shown])
  })
})

test('a file has what it was made from, with what this was taken from, and nothing else', () => {
  const record = [
    {
      sample_id: 's',
      portions: [
        {
          portion_id: 'p',
          slides: [{ slide_id: 'l' }],
          analytes: [{ analyte_id: 'n', aliquots: [{ aliquot_id: 'q' }, { aliquot_id: 'r' }] }],
        },
        { portion_id: 'o' },
      ],
    },
    { sample_id: 't' },
  ]
  const { files } = settle(
    [record],
    [
      [[aliquotOf({ aliquot_id: 'r' })]],
      [[{ sample_id: 's' }]],
      [[{ portions: [{ slides: [{ slide_id: 'l' }] }] }]],
      [[{ portions: [{}] }]],
    ],
  )
  expect(files).toEqual([
    [
      {
        sample_id: 's',
        portions: [
          { portion_id: 'p', analytes: [{ analyte_id: 'n', aliquots: [{ aliquot_id: 'r' }] }] },
        ],
      },
    ],
    [{ sample_id: 's' }],
    [{ sample_id: 's', portions: [{ portion_id: 'p', slides: [{ slide_id: 'l' }] }] }],
    [],
  ])
})

test('the type of a sample that only its barcode tells is that of the code', () => {
  const typeOf = (sample: JsonObject) => settle([[sample]]).samples[0]?.sample_type
  expect(typeOf({ submitter_id: 'TCGA-44-2655-11A' })).toBe('Solid Tissue Normal')
  expect(typeOf({ submitter_id: 'TCGA-44-2655-11A', sample_type: 'Other' })).toBe('Other')
  expect(typeOf({ submitter_id: 'TCGA-44-2655-98A' })).toBeUndefined()
  expect(typeOf({ submitter_id: 'N-44-2655-11A' })).toBeUndefined()
})

/** The true case: samples with all of their descendants, each with id and name. */
const truth = fc
  .array(fc.array(fc.array(fc.nat(2), { minLength: 1, maxLength: 2 }), { maxLength: 2 }), {
    minLength: 1,
    maxLength: 3,
  })
  .map(
    (samples): Samples =>
      samples.map((portions, i) => ({
        ...called('sample', `${i}`),
        ...listed(
          'portions',
          portions.map((analytes, j) => ({
            ...called('portion', `${i}${j}`),
            ...listed(
              'analytes',
              analytes.map((aliquots, k) => ({
                ...called('analyte', `${i}${j}${k}`),
                ...listed(
                  'aliquots',
                  Array.from({ length: aliquots }, (_, l) => called('aliquot', `${i}${j}${k}${l}`)),
                ),
              })),
            ),
          })),
        ),
      })),
  )

const called = (noun: string, place: string): JsonObject => ({
  [`${noun}_id`]: `${noun}-${place}`,
  submitter_id: `N-${noun}-${place}`,
})
const listed = (name: string, elements: Samples): JsonObject =>
  elements.length > 0 ? { [name]: [...elements] } : {}

/** The view of one source: some entities are left out with everything below them, some have no id or name. */
function partOf(elements: Samples, choose: () => number): Samples {
  return elements.flatMap((element) => {
    if (choose() === 0) return []
    const hidden = choose()
    const view = Object.entries(element).flatMap(
      ([name, value]): [string, JsonObject[string]][] => {
        if (Array.isArray(value)) {
          const below = partOf(value as JsonObject[], choose)
          return below.length > 0 ? [[name, [...below]]] : []
        }
        if (name === 'submitter_id') return hidden === 1 || hidden === 2 ? [] : [[name, value]]
        return hidden === 1 || hidden === 3 ? [] : [[name, value]]
      },
    )
    return view.length > 0 ? [Object.fromEntries(view)] : []
  })
}

const views = fc
  .tuple(truth, fc.array(fc.infiniteStream(fc.nat(5)), { minLength: 1, maxLength: 4 }))
  .map(([samples, streams]) => {
    const parts = streams.map((stream) => partOf(samples, () => stream.next().value ?? 0))
    return { samples, parts }
  })

describe('laws', () => {
  test('the order of sources does not matter, nor how often they say it', () => {
    fc.assert(
      fc.property(views, ({ parts }) => {
        const once = settle(parts).samples
        expect(settle([...parts, ...parts].toReversed()).samples).toEqual(once)
      }),
      { seed: 21, numRuns: depth(100, 2000, 20_000) },
    )
  })

  test('what some sources say can be settled before the others are known', () => {
    fc.assert(
      fc.property(views, ({ parts }) => {
        const [first = [], ...others] = parts
        expect(settle([settle([first]).samples, ...others]).samples).toEqual(settle(parts).samples)
        const before = settle(parts.slice(0, -1)).samples
        expect(settle([before, ...parts.slice(-1)]).samples).toEqual(settle(parts).samples)
      }),
      { seed: 22, numRuns: depth(100, 2000, 20_000) },
    )
  })

  test('with one source that says all, nothing is doubled and nothing is lost', () => {
    fc.assert(
      fc.property(views, ({ samples, parts }) => {
        expect(settle([...parts, samples]).samples).toEqual(samples)
        for (const part of parts) {
          const [file] = settle([samples], [[part]]).files
          expect(settle([samples, file ?? []]).samples).toEqual(samples)
        }
      }),
      { seed: 23, numRuns: depth(100, 2000, 20_000) },
    )
  })
})
