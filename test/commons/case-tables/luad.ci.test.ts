import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importCommons } from '../../../engine/commons/index.ts'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import type { App } from '../../../server/http/compose.ts'
import { available } from '../../available.ts'
import { appOf } from '../search/support/app.ts'
import { post, type Table, tableOf, tablesOf } from './support/tables.ts'

// A table downloaded from the public service is reproduced with the same columns and rows, in any order.

const NAMES = ['clinical', 'exposure', 'family_history', 'follow_up', 'pathology_detail'] as const

// zcat tcga_luad_clinical.tsv.gz | tail -n +2 | wc -l
const ROWS = {
  clinical: 2364,
  exposure: 517,
  family_history: 0,
  follow_up: 2667,
  pathology_detail: 517,
} as const

/** The download has none of these ids, so the import creates them. */
const MADE_ID = 'exposures.exposure_id'

const pathOf = (name: string) => publicData('data', 'cases', `tcga_luad_${name}.tsv.gz`)

describe.skipIf(!available.shared)('the clinical tables of 517 cases', () => {
  let folder = ''
  let engine: Engine
  let app: App

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casemill-luad-'))
    const executor = inlineExecutor
    await importCommons({ sources: NAMES.map(pathOf), dataFolder: folder, executor })
    engine = await openEngine({ dataFolder: folder, executor })
    await engine.start()
    app = appOf(engine)
  })
  afterAll(async () => {
    await engine?.close()
    await rm(folder, { recursive: true, force: true })
  })

  test.each(NAMES)('%s', async (name) => {
    const filters = { op: '=', content: { field: 'cases.project.project_id', value: 'TCGA-LUAD' } }
    // This is the form that the portal posts for a project.
    const form = { filters: JSON.stringify(filters), size: '517', filename: 'clinical.tar.gz' }
    const made = (await tablesOf(await post(app, '/clinical_tar', form))).get(`${name}.tsv`)
    const given = tableOf(gunzipSync(readFileSync(pathOf(name))).toString())
    expect(new Set(made?.columns)).toEqual(new Set(given.columns))
    const compared = given.columns.filter((column) => column !== MADE_ID)
    const lines = (rows: Table['rows'] = []) =>
      rows.map((row) => compared.map((column) => row[column]).join('\t')).sort()
    expect(lines(made?.rows)).toEqual(lines(given.rows))
    expect(made?.rows).toHaveLength(ROWS[name])
    for (const row of given.rows) expect(row[MADE_ID] ?? "'--").toBe("'--")
  })
})
