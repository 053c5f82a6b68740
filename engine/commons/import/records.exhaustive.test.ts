import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { documentsOf, json } from '../../../test/commons/import/support/documents.ts'
import { nameUuid } from '../../shared/catalogue/uuid.ts'
import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'

const MADE = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-/)

describe('a file record', () => {
  const file = {
    id: 'f1',
    file_id: 'f1',
    file_name: 'x.rna_seq.augmented_star_gene_counts.tsv',
    file_size: 5,
    data_category: 'Transcriptome Profiling',
    data_type: 'Gene Expression Quantification',
    experimental_strategy: 'RNA-Seq',
    analysis: { workflow_type: 'STAR - Counts', input_files: [{ file_id: 'f0' }] },
    md5sum: null,
    cases: [
      {
        case_id: 'C1',
        submitter_id: 'N-1',
        project: {
          project_id: 'P-1',
          name: 'One',
          program: { name: 'P', dbgap_accession_number: 'phs' },
        },
        demographic: { race: 'white' },
        samples: [{ sample_id: 's1', portions: [{ portion_id: 'p1' }] }],
      },
    ],
  }

  test('is taken apart: case, project and samples are stored once', async () => {
    const { documents, intake } = await documentsOf([
      json([file, { ...file, id: 'f2', file_id: 'f2' }]),
    ])
    expect(documents.files).toMatchObject([{ file_id: 'f1' }, { file_id: 'f2' }])
    expect(documents.files?.[0]).toEqual({
      file_id: 'f1',
      file_name: file.file_name,
      file_size: 5,
      data_category: 'Transcriptome Profiling',
      data_type: 'Gene Expression Quantification',
      experimental_strategy: 'RNA-Seq',
      analysis: file.analysis,
      md5sum: null,
      cases: [{ case_id: 'c1', samples: file.cases[0]?.samples }],
      data_format: 'TSV',
      type: 'gene_expression',
      access: 'open',
      acl: ['open'],
      state: 'released',
      version: '1',
      data_release: '1.0',
    })
    expect(documents.cases).toEqual([
      {
        case_id: 'c1',
        submitter_id: 'N-1',
        project: { project_id: 'P-1' },
        demographic: { race: 'white', demographic_id: MADE },
        samples: file.cases[0]?.samples,
        sample_ids: ['s1'],
        portion_ids: ['p1'],
        state: 'released',
        summary: {
          file_count: 2,
          file_size: 10,
          data_categories: [{ file_count: 2, data_category: 'Transcriptome Profiling' }],
          experimental_strategies: [{ file_count: 2, experimental_strategy: 'RNA-Seq' }],
        },
      },
    ])
    expect(documents.projects).toMatchObject([
      {
        project_id: 'P-1',
        name: 'One',
        program: { name: 'P', registry_accession_number: 'phs' },
        released: true,
        releasable: true,
        state: 'open',
        summary: { case_count: 1, file_count: 2, file_size: 10 },
      },
    ])
    expect(intake.reports).toMatchObject([{ kind: 'JSON', rows: 2, records: { files: 2 } }])
  })

  test('keeps what it says: nulls, access, a version, releases', async () => {
    const given = {
      file_id: 'f1',
      file_name: 'x.bam',
      access: 'open',
      acl: ['phs1'],
      version: '7',
      data_release: '12.0 - 37.0',
      state: null,
      data_format: null,
    }
    const { documents } = await documentsOf([json(given)])
    expect(documents.files).toEqual([given])
  })

  test('without cases has those of the entities that it was made from', async () => {
    const entity = (id: string, type: string, caseId: string) => ({
      entity_id: id,
      entity_type: type,
      entity_submitter_id: `N-${id}`,
      case_id: caseId,
    })
    const associated_entities = [
      entity('q1', 'aliquot', 'c1'),
      entity('q2', 'aliquot', 'c1'),
      entity('c2', 'case', 'c2'),
      entity('s3', 'sample', 'c3'),
    ]
    const { documents } = await documentsOf([json([{ file_id: 'f', associated_entities }])])
    const aliquot = (id: string) => ({ aliquot_id: id, submitter_id: `N-${id}` })
    expect(documents.files).toMatchObject([
      {
        associated_entities,
        cases: [
          {
            case_id: 'c1',
            samples: [{ portions: [{ analytes: [{ aliquots: [aliquot('q1'), aliquot('q2')] }] }] }],
          },
          { case_id: 'c2' },
          { case_id: 'c3', samples: [{ sample_id: 's3', submitter_id: 'N-s3' }] },
        ],
      },
    ])
    expect(documents.cases).toMatchObject([
      { case_id: 'c1', aliquot_ids: ['q1', 'q2'] },
      { case_id: 'c2', submitter_id: 'N-c2' },
      { case_id: 'c3', sample_ids: ['s3'] },
    ])
  })

  test('without an id is the one of that name and size, else gets an id of them', async () => {
    const nameless = [
      { file_name: 'a.txt', file_size: 1, access: 'open' },
      { file_name: 'a.txt', file_size: 3, access: 'open' },
      { file_name: 'b.txt', file_size: 1, access: 'open' },
    ]
    const named = [
      { file_id: 'f1', file_name: 'a.txt', file_size: 1, md5sum: 'm' },
      { file_id: 'f2', file_name: 'a.txt', file_size: 2 },
      { file_id: 'f3', file_name: 'b.txt' },
    ]
    for (const sources of [
      [nameless, named],
      [named, nameless],
    ]) {
      const { documents, assembled } = await documentsOf(sources.map((each) => json(each)))
      expect(assembled.resolvedByName).toBe(2)
      expect(documents.files).toHaveLength(4)
      expect(documents.files).toContainEqual(
        expect.objectContaining({ file_id: 'f1', access: 'open', md5sum: 'm' }),
      )
      expect(documents.files).toContainEqual(
        expect.objectContaining({ file_id: nameUuid('files', 'a.txt', '3'), file_size: 3 }),
      )
      expect(documents.files).toContainEqual(
        expect.objectContaining({ file_id: 'f3', file_size: 1 }),
      )
    }
  })
})

describe('a case record', () => {
  test('brings its files, which link back', async () => {
    const record = { case_id: 'c1', files: [{ file_id: 'f1', data_category: 'X' }], diagnoses: [] }
    const { documents } = await documentsOf([json({ data: { hits: [record] } })])
    expect(documents.files).toMatchObject([{ file_id: 'f1', cases: [{ case_id: 'c1' }] }])
    expect(documents.cases).toMatchObject([{ case_id: 'c1', summary: { file_count: 1 } }])
    expect(documents.cases?.[0]).not.toHaveProperty('files')
  })

  test('gets ids for its clinical entities, the same at every import', async () => {
    const record = {
      case_id: 'c1',
      demographic: { race: null },
      diagnoses: [{ submitter_id: 'D', treatments: [{}] }, { diagnosis_id: 'd2' }],
      exposures: [{ exposure_type: 'x' }],
    }
    const [one, other] = [await documentsOf([json(record)]), await documentsOf([json(record)])]
    expect(one.texts).toEqual(other.texts)
    const found = one.documents.cases?.[0]
    expect(found).toMatchObject({
      demographic: { demographic_id: nameUuid('c1', 'demographic', '0') },
      // The entity that already had an id comes first.
      diagnoses: [
        { diagnosis_id: 'd2' },
        {
          diagnosis_id: nameUuid('c1', 'diagnoses', 'D'),
          treatments: [{ treatment_id: nameUuid('c1', 'diagnoses', 'D', 'treatments', '0') }],
        },
      ],
      exposures: [{ exposure_id: nameUuid('c1', 'exposures', '0') }],
      diagnosis_ids: ['d2', nameUuid('c1', 'diagnoses', 'D')],
      submitter_diagnosis_ids: ['D'],
    })
  })

  test("knows where a manifest's aliquots belong when another source shows it", async () => {
    const bare = {
      file_id: 'f1',
      cases: [
        {
          case_id: 'c1',
          samples: [
            {
              portions: [
                { analytes: [{ aliquots: [{ aliquot_id: 'q1' }, { aliquot_id: 'q9' }] }] },
              ],
            },
          ],
        },
      ],
    }
    const full = {
      case_id: 'c1',
      sample_ids: ['s1', 's0'],
      samples: [
        {
          sample_id: 's1',
          portions: [
            {
              portion_id: 'p',
              analytes: [{ analyte_id: 'n', aliquots: [{ aliquot_id: 'q1', submitter_id: 'N' }] }],
            },
          ],
        },
      ],
    }
    const { documents } = await documentsOf([json([bare]), json([full])])
    expect(documents.cases).toMatchObject([
      {
        samples: full.samples,
        sample_ids: ['s1', 's0'],
        aliquot_ids: ['q1', 'q9'],
        submitter_aliquot_ids: ['N'],
      },
    ])
  })

  test('that is only named is a stub, and counted', async () => {
    const { documents, assembled } = await documentsOf([
      json([
        {
          file_id: 'f',
          cases: [{ case_id: 'c1', project: { project_id: 'P-1' } }, { case_id: 'c2' }],
        },
      ]),
      json([{ case_id: 'c2', disease_type: 'X' }]),
    ])
    expect(documents.cases).toMatchObject([{ case_id: 'c1' }, { case_id: 'c2' }])
    expect(assembled.datasets.cases).toMatchObject({ records: 2, dangling: 1, danglingIds: ['c1'] })
    expect(assembled.datasets.projects).toMatchObject({
      records: 1,
      dangling: 1,
      danglingIds: ['P-1'],
    })
    expect(assembled.casesWithoutProject).toBe(1)
  })
})

describe('annotations', () => {
  const annotation = {
    annotation_id: 'a1',
    entity_id: 'q1',
    entity_type: 'aliquot',
    case_id: 'c1',
    case_submitter_id: 'N-1',
    category: 'X',
    notes: null,
  }
  const record = {
    case_id: 'c1',
    project: { project_id: 'P-1' },
    samples: [{ sample_id: 's', portions: [{ analytes: [{ aliquots: [{ aliquot_id: 'q1' }] }] }] }],
  }

  test('stand at their entity, and know their project', async () => {
    const { documents } = await documentsOf([json([annotation]), json([record])])
    expect(documents.annotations).toEqual([{ ...annotation, project: { project_id: 'P-1' } }])
    expect(documents.cases).toMatchObject([
      {
        submitter_id: 'N-1',
        samples: [
          {
            portions: [
              { analytes: [{ aliquots: [{ aliquot_id: 'q1', annotations: [annotation] }] }] },
            ],
          },
        ],
      },
    ])
  })

  test('inside files and cases are records of their own, when they say more than their id', async () => {
    const file = { file_id: 'f', annotations: [annotation, { annotation_id: 'a2' }] }
    const annotated = {
      case_id: 'c2',
      samples: [{ sample_id: 's', annotations: [{ annotation_id: 'a3', status: 'Approved' }] }],
    }
    const { documents } = await documentsOf([json([file]), json([annotated])])
    expect(documents.files).toMatchObject([{ annotations: [annotation, { annotation_id: 'a2' }] }])
    expect(documents.annotations).toEqual([annotation, { annotation_id: 'a3', status: 'Approved' }])
    expect(documents.cases).toMatchObject([{ case_id: 'c1' }, { case_id: 'c2' }])
  })
})

describe('variants', () => {
  test('an occurrence brings its variant and its case; the case keeps its own observation', async () => {
    const occurrence = {
      id: 'o1',
      ssm_occurrence_id: 'o1',
      ssm: { ssm_id: 'v1', cosmic_id: null, consequence: [{ transcript: { transcript_id: 't' } }] },
      case: {
        case_id: 'c1',
        available_variation_data: ['ssm'],
        observation: [{ observation_id: 'x' }],
      },
    }
    const { documents } = await documentsOf([json([occurrence])])
    expect(documents.ssm_occurrences).toEqual([
      {
        ssm_occurrence_id: 'o1',
        ssm: { ssm_id: 'v1' },
        case: { case_id: 'c1', observation: [{ observation_id: 'x' }] },
      },
    ])
    expect(documents.ssms).toEqual([
      { ssm_id: 'v1', catalog_id: null, consequence: [{ transcript: { transcript_id: 't' } }] },
    ])
    expect(documents.cases).toMatchObject([{ case_id: 'c1', available_variation_data: ['ssm'] }])
  })

  test('a variant brings its occurrences, under their id or one of variant and case', async () => {
    const ssm = {
      ssm_id: 'v1',
      occurrence: [{ occurrence_id: 'o1', case: { case_id: 'c1' } }, { case: { case_id: 'c2' } }],
    }
    const { documents } = await documentsOf([json([ssm])])
    expect(documents.ssms).toEqual([{ ssm_id: 'v1' }])
    const made = nameUuid('ssm_occurrences', 'v1', 'c2')
    const expected = [
      { ssm_occurrence_id: 'o1', ssm: { ssm_id: 'v1' }, case: { case_id: 'c1' } },
      { ssm_occurrence_id: made, ssm: { ssm_id: 'v1' }, case: { case_id: 'c2' } },
    ]
    expect(documents.ssm_occurrences).toHaveLength(2)
    expect(documents.ssm_occurrences).toEqual(expect.arrayContaining(expected))
  })

  test.each([
    ['cnv_occurrences', 'cnv_occurrence_id', 'cnv', 'cnvs', 'cnv_id'],
    [
      ...['segment_cnv_occurrences', 'segment_cnv_occurrence_id', 'segment_cnv'],
      ...['segment_cnvs', 'segment_cnv_id'],
    ],
  ])(
    '%s are told by their id',
    async (occurrences = '', id = '', at = '', variants = '', variantId = '') => {
      const record = {
        [id]: 'o',
        [at]: { [variantId]: 'v', chromosome: '1' },
        case: { case_id: 'c' },
      }
      const { documents } = await documentsOf([json([record])])
      expect(documents[occurrences]).toMatchObject([{ [id]: 'o', [at]: { [variantId]: 'v' } }])
      expect(documents[variants]).toMatchObject([{ [variantId]: 'v', chromosome: '1' }])
    },
  )

  test('a part without an id gets one of its place or of its owner, so that nothing is lost', async () => {
    const { documents } = await documentsOf([
      json([{ ssm_occurrence_id: 'o1', ssm: { mutation_type: 'SNP' } }]),
      json([{ chromosome: 'chr1', start_position: 7, genomic_dna_change: 'x' }]),
    ])
    expect(documents.ssm_occurrences).toEqual([{ ssm_occurrence_id: 'o1', ssm: { ssm_id: MADE } }])
    expect(documents.ssms).toContainEqual({ ssm_id: MADE, mutation_type: 'SNP' })
    expect(documents.ssms).toHaveLength(2)
  })
})

test('records that say the same twice are one, whatever the order of their sources', async () => {
  const files = json([
    { file_id: 'f1', file_name: 'a', cases: [{ case_id: 'c1', submitter_id: 'N' }] },
  ])
  const cases = json([{ case_id: 'c1', project: { project_id: 'P-1' }, disease_type: 'X' }])
  const once = await documentsOf([files, cases])
  const twice = await documentsOf([cases, files, cases, files])
  expect(twice.documents).toEqual(once.documents)
  expect(twice.assembled.datasets).toEqual(once.assembled.datasets)
})

test('of equals the later source wins, and the difference is counted', async () => {
  const say = (disease_type: string) => json([{ case_id: 'c1', disease_type }])
  const { documents, assembled } = await documentsOf([say('A'), say('B')])
  expect(documents.cases).toMatchObject([{ disease_type: 'B' }])
  expect(assembled.datasets.cases.conflicts).toEqual([{ name: 'disease_type', count: 1 }])
})

test('documents are in the order of the bytes of their ids', async () => {
  const ids = ['b', 'a', 'ä', 'z', '€', '😀', '\uffee', 'a-', 'a0']
  const { documents } = await documentsOf([json(ids.map((gene_id) => ({ gene_id })))])
  const bytes = ids.map((id) => Buffer.from(id)).sort(Buffer.compare)
  expect(documents.genes?.map((each) => each.gene_id)).toEqual(bytes.map(String))
})

test('what cannot be taken is told by line, and the rest is taken', async () => {
  const content = [
    '{"file_id":"f1"}',
    '{"file_id":"f2",}',
    '{"colour":"red"}',
    '"text"',
    '{"case_id":"c","diagnoses":[1]}',
    '{"annotation_id":null}',
    '{"file_id":"f3"}',
  ].join('\n')
  const { documents, intake } = await documentsOf([{ name: 'x.ndjson', content }], { maxErrors: 5 })
  expect(documents.files).toMatchObject([{ file_id: 'f1' }, { file_id: 'f3' }])
  expect(intake.badRows.map(({ line, reason }) => [line, reason])).toEqual([
    [2, 'the record is no valid JSON'],
    [3, 'nothing in the record shows which dataset it belongs to'],
    [4, 'the record is no object'],
    [5, 'diagnoses is a list of other than objects'],
    [6, 'the record has no annotation_id'],
  ])
  expect(intake.reports).toMatchObject([{ rows: 7, badRows: 5, records: { files: 2 } }])
  await expect(
    documentsOf([{ name: 'x.ndjson', content }], { maxErrors: 4 }),
  ).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(
      /^more than 4 rows cannot be taken; the last is line 6 of ".+x\.ndjson"/,
    ),
  })
})

test('a file that ends inside a record is refused', async () => {
  const content = '[{"file_id":"f1"},{"file_id":"f2"'
  await expect(documentsOf([{ name: 'x.json', content }])).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(/x\.json" ends inside a value that begins in line 1$/),
  })
})

test('no record, however it is made, ends the import', async () => {
  const name = fc.constantFrom(
    ...['file_id', 'case_id', 'id', 'cases', 'samples', 'project', 'project_id', 'annotations'],
    ...['associated_entities', 'entity_type', 'entity_id', 'ssm', 'case', 'occurrence', 'files'],
    ...['portions', 'submitter_id', 'demographic', 'diagnoses', 'file_name', 'file_size', 'acl'],
    ...['constructor', '__proto__', 'toString', 'a.b', ''],
  )
  const { record } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      fc.constantFrom('a', 'b', 'constructor', 'case', 'aliquot', '\u0000', '\ud800', '', 'Ä'),
      fc.constantFrom<unknown>(null, 0, -1, 1e300, true, [], {}),
      tie('record'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(tie('record'), { maxLength: 3 }),
    ),
    record: fc.dictionary(name, tie('value'), { maxKeys: 6, noNullPrototype: true }),
  }))
  const records = fc.sample(record, { numRuns: 3000, seed: 11 })
  const content = records.map((each) => JSON.stringify(each)).join('\n')
  const sources = [{ name: 'x.ndjson', content: `{"case_id":"c"}\n${content}` }]
  const first = await documentsOf(sources, { maxErrors: 3001 })
  expect(first.intake.reports[0]?.rows).toBe(3001)
  expect(first.documents.files?.length).toBeGreaterThan(10)
  expect((await documentsOf(sources, { maxErrors: 3001 })).texts).toEqual(first.texts)
  for (const [dataset, found] of Object.entries(first.documents)) {
    const ids = found.map((each) =>
      Buffer.from(String(each[DATASETS[dataset as DatasetName].idField])),
    )
    expect(ids.every((id, i) => i === 0 || Buffer.compare(ids[i - 1]!, id) < 0)).toBe(true)
  }
})
