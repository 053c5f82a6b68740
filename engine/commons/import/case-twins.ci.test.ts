import { describe, expect, test } from 'vitest'
import { documentsOf, json, tsv } from '../../../test/commons/import/support/documents.ts'
import { type JsonObject, objectsIn } from '../../shared/input/json-value.ts'

const F1 = 'f1000000-0000-4000-8000-000000000001'
const F2 = 'f2000000-0000-4000-8000-000000000002'
const C1 = 'c1000000-0000-4000-8000-000000000001'
const C2 = 'c2000000-0000-4000-8000-000000000002'
const Q1 = 'a1000000-0000-4000-8000-000000000001'
const Q2 = 'a2000000-0000-4000-8000-000000000002'

type Link = readonly [file: string, cases: string]
const manifest = (...rows: readonly Link[]) =>
  tsv(
    'manifest.tsv',
    ['id', 'filename', 'md5', 'size', 'project_id', 'case_ids', 'aliquot_ids'],
    ...rows.map(([file, cases]) => {
      const aliquot = cases === C2 ? Q2 : Q1
      return [file, `${file}.tsv`, '', '1', 'P-1', cases, aliquot]
    }),
  )
const sheet = (...rows: readonly Link[]) =>
  tsv(
    'sheet.tsv',
    ['File ID', 'File Name', 'Project ID', 'Case ID', 'Sample ID', 'Sample Type'],
    ...rows.map(([file, cases]) => {
      const names = cases.split(', ')
      const samples = names.map((name) => `${name}-S`).join(', ')
      return [
        file,
        `${file}.tsv`,
        'P-1',
        cases,
        samples,
        names.map(() => 'Primary Tumor').join(', '),
      ]
    }),
  )

describe('a case that one source names by id and another one by name', () => {
  test('is one, when both say that a file is of it alone', async () => {
    for (const sources of [
      [manifest([F1, C1]), sheet([F1, 'N-1'])],
      [sheet([F1, 'N-1']), manifest([F1, C1])],
    ]) {
      const { documents, assembled } = await documentsOf(sources)
      const samples = [
        {
          submitter_id: 'N-1-S',
          sample_type: 'Primary Tumor',
          portions: [{ analytes: [{ aliquots: [{ aliquot_id: Q1 }] }] }],
        },
      ]
      expect(documents.cases).toMatchObject([{ case_id: C1, submitter_id: 'N-1', samples }])
      expect(documents.files).toMatchObject([{ cases: [{ case_id: C1, samples }] }])
      expect(documents.files?.[0]?.acl).toEqual(['P-1'])
      expect(assembled).toMatchObject({ resolvedByFiles: 1, twins: { count: 0 } })
    }
  })

  test('is one in a file of several, when another file is of it alone', async () => {
    const { documents, assembled } = await documentsOf([
      manifest([F1, C1], [F2, `${C1},${C2}`]),
      sheet([F1, 'N-1'], [F2, 'N-1, N-2']),
    ])
    const [one] = documents.files ?? []
    expect(one).toMatchObject({ cases: [{ case_id: C1 }] })
    expect(documents.cases?.find((each) => each.case_id === C1)).toMatchObject({
      submitter_id: 'N-1',
    })
    // Two cases are left, one of each kind, and nothing shows that they are the same.
    expect(documents.cases).toHaveLength(3)
    expect(assembled.twins).toEqual({
      count: 1,
      shared: 0,
      first: [
        {
          cases: [
            { case: 'N-2', source: expect.stringContaining('sheet.tsv'), line: 3 },
            { case: C1, source: expect.stringContaining('manifest.tsv'), line: 3 },
            { case: C2, source: expect.stringContaining('manifest.tsv'), line: 3 },
          ],
          reason: `all are named for file ${F2}`,
        },
      ],
    })
  })

  test('is not joined where files do not agree', async () => {
    const { documents, assembled } = await documentsOf([
      manifest([F1, C1], [F2, C2]),
      sheet([F1, 'N-1'], [F2, 'N-1']),
    ])
    expect(documents.cases).toHaveLength(3)
    expect(assembled.twins).toMatchObject({
      count: 1,
      first: [
        {
          cases: [
            { case: 'N-1', line: 2 },
            { case: C1, line: 2 },
          ],
        },
      ],
    })
  })

  test('is not joined with one that has another name', async () => {
    const known = json([{ case_id: C1, submitter_id: 'N-9' }])
    const { documents, assembled } = await documentsOf([
      manifest([F1, C1]),
      sheet([F1, 'N-1']),
      known,
    ])
    expect(documents.cases).toHaveLength(2)
    expect(assembled.twins.count).toBe(1)
  })

  test('is no twin of another case of the same record', async () => {
    const record = { file_id: F1, cases: [{ case_id: C1 }, { submitter_id: 'N-1' }] }
    const { documents, assembled } = await documentsOf([json([record])])
    expect(documents.cases).toHaveLength(2)
    expect(assembled.twins).toEqual({ count: 0, shared: 0, first: [] })
  })

  test('is told when its name differs from a known one in case, blanks or dashes alone', async () => {
    const known = json([{ case_id: C1, submitter_id: 'PINE-1' }])
    const survival = (name: string) =>
      tsv('s.tsv', ['_PATIENT', 'OS', 'OS.time'], [name, '1', '300'])
    for (const sources of [
      [known, survival('pine-1')],
      [survival('pine-1'), known],
    ]) {
      const { documents, assembled } = await documentsOf(sources)
      expect(documents.cases).toHaveLength(2)
      expect(assembled.twins).toEqual({
        count: 1,
        shared: 0,
        first: [
          {
            cases: [
              { case: 'PINE-1', source: expect.stringContaining('source.json'), line: 1 },
              { case: 'pine-1', source: expect.stringContaining('s.tsv'), line: 2 },
            ],
            reason: 'their names differ in upper and lower case, blanks, dashes or zeros alone',
          },
        ],
      })
    }
    for (const name of ['PINE_1', 'PINE 1', 'PINE\u20131', 'pine.1']) {
      const { assembled } = await documentsOf([known, survival(name)])
      expect(assembled.twins.first[0]?.cases.map((one) => one.case)).toEqual(
        ['PINE-1', name].toSorted(),
      )
    }
    expect((await documentsOf([known, survival('PINE1')])).assembled.twins.count).toBe(0)
    const { documents, assembled } = await documentsOf([known, survival('PINE-1')])
    expect(documents.cases).toMatchObject([{ case_id: C1, submitter_id: 'PINE-1' }])
    expect(assembled.twins.count).toBe(0)
    const ids = json([
      { case_id: C1, submitter_id: 'PINE-1' },
      { case_id: C2, submitter_id: 'pine-1' },
    ])
    expect((await documentsOf([ids])).assembled.twins.count).toBe(0)
  })

  test('is told when several ids have its name, unless projects tell them apart', async () => {
    const cases = (...projects: readonly (string | undefined)[]) =>
      json(
        [C1, C2].map((case_id, i) => ({
          ...{ case_id, submitter_id: 'N-1' },
          ...(projects[i] === undefined ? {} : { project: { project_id: projects[i] } }),
        })),
      )
    const twinsOf = async (...sources: Parameters<typeof documentsOf>[0]) =>
      (await documentsOf(sources)).assembled.twins
    expect(await twinsOf(cases('P-1', 'P-1'))).toMatchObject({
      count: 1,
      first: [{ cases: [{ case: C1, line: 1 }, { case: C2 }], reason: 'all are called "N-1"' }],
    })
    expect(await twinsOf(cases('P-1'))).toMatchObject({ count: 1 })
    expect(await twinsOf(cases('P-1', 'P-2'))).toMatchObject({ count: 0 })
    expect(await twinsOf(cases('P-1', 'P-1'), sheet([F1, 'N-1']))).toMatchObject({
      count: 1,
      first: [{ cases: expect.arrayContaining([expect.objectContaining({ case: C2 })]) }],
    })
  })
})

describe('the current version of a file', () => {
  const swaps = tsv('DR6.0.tsv', ['Old File UUID', 'New File UUID'], [F1, F2])

  test('has the cases and samples that another source says of an earlier one', async () => {
    const current = json([{ file_id: F2, file_name: 'b.tsv' }])
    const { documents } = await documentsOf([sheet([F1, 'N-1']), swaps, current])
    expect(documents.files).toMatchObject([
      { file_id: F2, version: '2', cases: [{ samples: [{ submitter_id: 'N-1-S' }] }] },
    ])
    expect(documents.cases).toMatchObject([{ submitter_id: 'N-1', summary: { file_count: 1 } }])
  })

  test('has them over several steps, and adds what is said of itself', async () => {
    const F3 = 'f3000000-0000-4000-8000-000000000003'
    const next = tsv('DR8.0.tsv', ['Old File UUID', 'New File UUID'], [F2, F3])
    const sources = [
      swaps,
      next,
      sheet([F1, 'N-1'], [F3, 'N-1']),
      manifest([F2, C1]),
      manifest([F3, C1]),
    ]
    const expected = (await documentsOf(sources)).documents
    expect(expected.files).toMatchObject([
      {
        file_id: F3,
        version: '3',
        cases: [{ case_id: C1, samples: [{ submitter_id: 'N-1-S' }] }],
      },
    ])
    const samplesOf = (file: JsonObject | undefined) =>
      objectsIn(file?.cases).flatMap(({ samples }) => objectsIn(samples))
    expect(samplesOf(expected.files?.[0])).toHaveLength(1)
    expect(expected.cases).toMatchObject([
      { case_id: C1, submitter_id: 'N-1', summary: { file_count: 1 } },
    ])
    expect((await documentsOf(sources.toReversed())).documents).toEqual(expected)
  })

  test('that nobody describes is not made up', async () => {
    const { documents, versions } = await documentsOf([sheet([F1, 'N-1']), swaps])
    expect(documents.files).toBeUndefined()
    expect(versions).toMatchObject([{ id: F1 }])
  })
})
