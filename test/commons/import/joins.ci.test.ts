import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../engine/shared/input/json-value.ts'
import { type Cohort, makeCohort } from '../../../fixtures/cohort/make-cohort.ts'
import { PUBLIC, publicText } from '../../../fixtures/cohort/read-cohort.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { depth } from '../../depth.ts'
import { runPython } from '../../peers/run-peer.ts'
import { cutJson, cutTable, shuffled } from './support/cut.ts'
import type { GivenSource } from './support/documents.ts'
import {
  ask,
  documentsIn,
  endWorld,
  facet,
  importOf,
  type World,
  worldOf,
} from './support/world.ts'

// The exports of the owner of a public cohort, combined in several ways: the documents are the same each time,
// with as many files, samples and aliquots as in the tables.

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-joins-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The clinical tables of the cohort, and the tables of earlier years. */
const CLINICAL = ['clinical', 'exposure', 'followUp', 'pathology'] as const
const LEGACY = ['legacyCases', 'legacySamples'] as const

/** The rows of a public table that belong to the given cases. */
function tableOf(name: keyof typeof PUBLIC, caseIds: ReadonlySet<string>): GivenSource {
  const [header = '', ...rows] = publicText(name).trimEnd().split('\n')
  const columns = header.split('\t')
  const at = ['cases.case_id', 'case', 'case_id'].map((column) => columns.indexOf(column))
  const column = at.find((place) => place >= 0) ?? 0
  const kept = rows.filter((row) => caseIds.has((row.split('\t')[column] ?? '').toLowerCase()))
  return { name: `${name}.tsv`, content: `${[header, ...kept].join('\n')}\n` }
}

/** All sources for the first cases. */
async function sourcesOf(cases: number): Promise<{ cart: GivenSource; tables: GivenSource[] }> {
  const { files, paths } = await makeCohort({ folder: join(folder, `cohort-${cases}`), cases })
  const caseIds = new Set(files.map(({ caseId }) => caseId))
  const { cart, ...tables } = paths
  return {
    cart: { name: 'cart.json', content: await readFile(cart, 'utf8') },
    tables: [
      ...(await Promise.all(
        Object.entries(tables).map(async ([name, path]) => ({
          name: `${name}.tsv`,
          content: await readFile(path, 'utf8'),
        })),
      )),
      ...[...CLINICAL, ...LEGACY].map((name) => tableOf(name, caseIds)),
    ],
  }
}

const DATASETS = ['projects', 'cases', 'files', 'annotations'] as const

/** The documents of a data folder after several releases in sequence. */
async function documentsAfter(releases: readonly (readonly GivenSource[])[]): Promise<unknown> {
  const place = await mkdtemp(join(folder, 'way-'))
  let written = 0
  for (const sources of releases) {
    const paths: string[] = []
    for (const { name, content } of sources) {
      const path = join(place, 'sources', String(written++), name)
      await mkdir(join(path, '..'), { recursive: true })
      await writeFile(path, content)
      paths.push(path)
    }
    await importOf(join(place, 'data'), ...paths)
  }
  const documents = await documentsIn(join(place, 'data'), DATASETS)
  await rm(place, { recursive: true })
  // Omits the list of releases of a file, which depends on their number.
  for (const file of documents[DATASETS.indexOf('files')] ?? []) delete file.data_release
  return documents
}

describe.skipIf(!available.shared)('a cohort comes together', () => {
  test('in the same way, however its sources are cut, ordered, repeated and spread over imports', async () => {
    const { cart, tables } = await sourcesOf(depth(6, 10, 60))
    const expected = await documentsAfter([[cart, ...tables]])
    for (let seed = 1; seed <= depth(2, 6, 60); seed++) {
      const random = randomFrom(seed)
      const parts = [
        cutJson(cart, random),
        ...tables.map((table) => cutTable(table, random)),
      ].flat()
      const all = shuffled([...parts, ...parts.filter(() => random.chance(0.3))], random)
      const releases = Array.from({ length: 1 + random.below(3) }, (): GivenSource[] => [])
      for (const part of all) releases[random.below(releases.length)]?.push(part)
      const given = releases.filter((sources) => sources.length > 0)
      expect(await documentsAfter(given), `seed ${seed}`).toEqual(expected)
    }
  })
})

/** A script that counts with pandas in the tables themselves. */
const COUNT = `
import json, sys
import pandas as pd
paths = json.loads(sys.argv[1])
table = lambda name: pd.read_csv(paths[name], sep='\\t', dtype=str, keep_default_na=False)
cart = pd.DataFrame([
  {'file': f['file_id'], 'case': e['case_id'], 'aliquot': e['entity_id'], 'barcode': e['entity_submitter_id']}
  for f in json.load(open(paths['cart'])) for e in f['associated_entities']])
cart['sample'] = cart.barcode.str[:16]
legacy, sheet, samples, aliquots = map(table, ['legacySamples', 'sampleSheet', 'samples', 'aliquots'])
types = dict(zip(legacy.id, legacy.sample_type))
print(json.dumps({
  'files': len(set(cart.file) | set(sheet['File ID'])),
  'samplesOfFiles': len(set(cart['sample']) | set(sheet['Sample ID']) | set(samples['samples.submitter_id'])),
  'samples': len(set(cart['sample']) | set(sheet['Sample ID']) | set(legacy.id)),
  'sampleIds': len(set(legacy.sample_id.str.lower()) | set(samples['samples.sample_id'])),
  'aliquots': len(set(cart.aliquot) | set(aliquots['aliquots.aliquot_id'])),
  'casesOfFiles': cart.case.nunique(),
  'filesByType': cart['sample'].map(types).str.lower().value_counts().to_dict(),
}))
`

interface Counts {
  readonly files: number
  readonly samplesOfFiles: number
  readonly samples: number
  readonly sampleIds: number
  readonly aliquots: number
  readonly casesOfFiles: number
  readonly filesByType: Readonly<Record<string, number>>
}

const listsIn = (documents: readonly JsonObject[], ...names: readonly string[]): JsonObject[] =>
  names.reduce<JsonObject[]>(
    (found, name) => found.flatMap((each) => (each[name] ?? []) as JsonObject[]),
    [...documents],
  )
const different = (documents: readonly JsonObject[], name: string) =>
  new Set(documents.map((each) => each[name])).size

describe.skipIf(!available.shared || !available.pandas)('the whole public cohort', () => {
  let cohort: Cohort
  let world: World
  let counts: Counts
  beforeAll(async () => {
    cohort = await makeCohort({ folder: join(folder, 'cohort') })
    const legacySamples = publicData(...PUBLIC.legacySamples)
    const { cart, sampleSheet, samples, aliquots } = cohort.paths
    world = await worldOf(
      ...[legacySamples, aliquots, sampleSheet, cart, samples],
      ...CLINICAL.map((name) => publicData(...PUBLIC[name])),
    )
    const paths = { cart, sampleSheet, samples, aliquots, legacySamples }
    counts = JSON.parse(await runPython(COUNT, [JSON.stringify(paths)])) as Counts
  })
  afterAll(() => endWorld(world))

  test('has as many files, samples and aliquots as its tables', async () => {
    const [cases = [], files = []] = await documentsIn(world.folder, ['cases', 'files'])
    const samples = listsIn(cases, 'samples')
    const aliquots = listsIn(samples, 'portions', 'analytes', 'aliquots')
    // COUNT prints 601 files, 590 samples of 518 cases, 601 aliquots; 19,537 samples in all.
    expect(counts).toMatchObject({
      files: 601,
      samplesOfFiles: 590,
      aliquots: 601,
      samples: 19_537,
    })
    expect({
      files: files.length,
      samples: samples.length,
      names: different(samples, 'submitter_id'),
      sampleIds: different(samples, 'sample_id'),
      aliquots: aliquots.length,
      aliquotIds: different(aliquots, 'aliquot_id'),
      samplesOfFiles: different(listsIn(files, 'cases', 'samples'), 'sample_id'),
      casesOfFiles: different(listsIn(files, 'cases'), 'case_id'),
    }).toEqual({
      files: counts.files,
      samples: counts.samples,
      names: counts.samples,
      sampleIds: counts.sampleIds,
      aliquots: counts.aliquots,
      aliquotIds: counts.aliquots,
      samplesOfFiles: counts.samplesOfFiles,
      casesOfFiles: counts.casesOfFiles,
    })
    expect(world.report.possibleTwins.count).toBe(0)
  })

  test('gives each file one sample of a known type, down to its aliquot', async () => {
    const [files = []] = await documentsIn(world.folder, ['files'])
    const byId = new Map(files.map((file) => [file.file_id, file]))
    for (const { record, caseId, sample, portion, analyte, aliquot } of cohort.files) {
      expect(byId.get(record.file_id)?.cases).toMatchObject([
        {
          case_id: caseId,
          samples: [
            {
              ...{ sample_id: sample.id, submitter_id: sample.name, sample_type: sample.type },
              portions: [
                {
                  submitter_id: portion.name,
                  analytes: [
                    {
                      submitter_id: analyte.name,
                      aliquots: [{ aliquot_id: aliquot.id, submitter_id: aliquot.name }],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ])
    }
    const types = await facet(world, '/files', 'cases.samples.sample_type')
    expect(types.has('_missing')).toBe(false)
    expect(Object.fromEntries(types)).toEqual(counts.filesByType)
  })

  test('gives clinical entities the members that clients drop by name', async () => {
    const expand = 'demographic,exposures,diagnoses,diagnoses.treatments,follow_ups'
    const { hits } = await ask<JsonObject>(world, '/cases', { size: 600, expand })
    const members = ['state', 'created_datetime', 'updated_datetime']
    const groups = [['demographic'], ['exposures'], ['diagnoses'], ['diagnoses', 'treatments']]
    for (const group of [...groups, ['follow_ups']]) {
      const entities = listsIn(hits, ...group)
      expect(entities.length).toBeGreaterThan(0)
      for (const entity of entities)
        expect(Object.keys(entity)).toEqual(expect.arrayContaining(members))
    }
  })
})
