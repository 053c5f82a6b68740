import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AuditRecord } from '../../engine/shared/audit/audit-record.ts'
import { Grants } from '../../engine/shared/audit/grants.ts'
import { SegmentRegister } from '../../engine/shared/audit/segment-register.ts'
import { DiskSpace } from '../../engine/shared/disk-space.ts'
import { templateColumns } from '../../engine/submission/dictionary/templates.ts'
import type { ExportRequest } from '../../engine/submission/export/export-writer.ts'
import type { ExportFormat } from '../../engine/submission/export/exported.ts'
import { SubmissionExport } from '../../engine/submission/export/submission-export.ts'
import { depth } from '../depth.ts'
import { canRun, DIALECTS, prepareBed } from '../shared/database/support/dialects.ts'
import { graphs, MADE_TYPES, REFERENCES } from './support/made-graph.ts'
import { AS_ADMIN, idOf, MadeSubmission, type UploadBody } from './support/service.ts'

const PROJECT = 'DEMO-ONE'

interface Row {
  readonly submitter_id: string
  readonly properties: string
}

describe.each(DIALECTS.filter(canRun))('exports from %s', (dialect) => {
  let made: MadeSubmission
  let exports: SubmissionExport
  /** Exports while the record is kept. */
  let recordedExports: SubmissionExport
  const grants = new Grants(true)
  const bed = prepareBed(dialect)
  beforeAll(async () => {
    made = await MadeSubmission.open({}, bed.server && (await bed.place()))
    const dictionary = { current: () => MadeSubmission.dictionary() }
    const { folder: temporaryFolder } = made
    const space = new DiskSpace(temporaryFolder)
    const audit = new AuditRecord({
      root: join(temporaryFolder, 'audit'),
      register: new SegmentRegister(made.database, () => new Date()),
      clock: () => new Date(),
      report: () => {},
      days: 0,
    })
    const options = { ...made, dictionary, temporaryFolder, space }
    exports = new SubmissionExport({ ...options, grants: new Grants(false), audit: undefined })
    recordedExports = new SubmissionExport({ ...options, grants, audit })
  })
  beforeEach(async () => {
    await made.reset()
    await prepare()
  })
  afterAll(() => made.close())

  async function prepare() {
    await made.register(PROJECT)
    const body = Buffer.from(JSON.stringify(REFERENCES))
    await made.submission.administration.putReferences({ ...AS_ADMIN, body, format: 'json' })
  }

  async function exported(asked: Partial<ExportRequest>) {
    await using found = await exports.export({
      ...made.at(PROJECT),
      ids: [],
      nodeLabel: undefined,
      format: 'tsv',
      withoutIds: false,
      withChildren: false,
      categories: [],
      ...asked,
    })
    const chunks: Buffer[] = []
    // The memory of a chunk is reused.
    for await (const chunk of found.body) chunks.push(Buffer.from(chunk))
    const bytes = Buffer.concat(chunks)
    const { fileName, kind, length } = found
    if (length !== undefined) expect(bytes.length).toBe(length)
    return { fileName, kind, length, bytes, text: bytes.toString() }
  }

  async function put(text: string, format: ExportFormat) {
    const { body, status } = await made.submission.upload({
      ...made.at(PROJECT),
      operation: 'put',
      body: Buffer.from(text),
      format,
    })
    return { status, ...(body as UploadBody) }
  }

  /** All stored entities and links. */
  function stored() {
    return made.database.read(async (rows) => ({
      entities: await rows.all<Row>('SELECT * FROM submission_entities ORDER BY id'),
      links: await rows.all('SELECT * FROM submission_links ORDER BY child, link, parent'),
    }))
  }

  async function create(documents: readonly object[]) {
    const answer = await put(JSON.stringify(documents), 'json')
    const errors = answer.entities.flatMap((one) => one.errors)
    expect([answer.status, answer.created_entity_count, errors]).toEqual([
      200,
      documents.length,
      [],
    ])
    return answer.entities.map(({ id }) => id ?? '')
  }

  test('an export can be submitted again, and changes nothing', async () => {
    const all = graphs(await MadeSubmission.dictionary())
    await fc.assert(
      fc.asyncProperty(all, fc.constantFrom('json', 'tsv', 'csv'), async (documents, format) => {
        await made.reset()
        await prepare()
        const ids = await create(documents)
        const before = await stored()
        const { bytes } = await exported({ ids, format })
        // There is at least one entity of each type, so tables come in an archive.
        const byType: Readonly<Record<string, unknown>> =
          format === 'json' ? JSON.parse(bytes.toString()) : await members(bytes)
        for (const nodeLabel of MADE_TYPES) {
          const { text } = await exported({ nodeLabel, format })
          const all = format === 'json' ? JSON.parse(text).data : text
          expect(byType[format === 'json' ? nodeLabel : `${nodeLabel}.${format}`]).toEqual(all)
        }
        const parts = Object.values(byType)
        const texts = format === 'json' ? [JSON.stringify(parts.flat())] : (parts as string[])
        let again = 0
        for (const text of texts) {
          const answer = await put(text, format)
          const errors = answer.entities.flatMap((one) => one.errors)
          expect([text, errors, answer.transactional_errors]).toEqual([text, [], []])
          again += answer.updated_entity_count
        }
        expect(again).toBe(documents.length)
        expect(await stored()).toEqual(before)
      }),
      { numRuns: dialect === 'sqlite' ? depth(3, 8) : 2, seed: 12 },
    )
  })

  /** Creates a case with two samples, an aliquot of both, and entities that belong to the case. */
  async function seedTree() {
    await made.seed(
      PROJECT,
      { type: 'case', name: 'C1', properties: { primary_site: 'Brain', days_to_consent: -3 } },
      { type: 'sample', name: 'S1', links: { cases: 'C1' }, properties: { tissue_type: 'Tumor' } },
      { type: 'sample', name: 'S2', links: { cases: 'C1' } },
      { type: 'aliquot', name: 'A1', links: { samples: ['S1', 'S2'] } },
      { type: 'demographic', name: 'D1', links: { cases: 'C1' }, properties: { race: 'white' } },
      { type: 'case', name: 'C2' },
    )
  }

  test('documents are lists by type, with all that may be given, and links as arrays', async () => {
    await seedTree()
    const ids = [idOf('S1'), idOf('C1').toUpperCase(), idOf('C1')]
    const { text, fileName, kind } = await exported({ ids, format: 'json' })
    expect([fileName, kind]).toEqual([
      expect.stringMatching(/^gdc_export_[0-9a-f]{12}.json$/),
      'json',
    ])
    const found = JSON.parse(text) as Record<string, Record<string, unknown>[]>
    expect(Object.keys(found)).toEqual(['case', 'sample'])
    const type = (await MadeSubmission.dictionary()).types.get('case')
    const [first, ...others] = found.case ?? []
    expect(others).toEqual([])
    // By submission.md 12, these are all properties except the service's own.
    expect(new Set(Object.keys(first ?? {}))).toEqual(
      new Set([
        ...['id', 'type', 'project_id'],
        ...[...(type?.properties.keys() ?? [])].filter((name) => !type?.systemProperties.has(name)),
      ]),
    )
    expect(first).toMatchObject({
      id: idOf('C1'),
      type: 'case',
      project_id: PROJECT,
      submitter_id: 'C1',
      primary_site: 'Brain',
      days_to_consent: -3,
      disease_type: null,
      projects: [],
    })
    expect(found.sample).toMatchObject([
      { submitter_id: 'S1', cases: [{ id: idOf('C1'), submitter_id: 'C1' }], parent_samples: [] },
    ])
  })

  test('documents of a whole type are under data', async () => {
    await seedTree()
    const { text, fileName } = await exported({ nodeLabel: 'case', format: 'json' })
    expect(fileName).toBe('case.json')
    const { data } = JSON.parse(text) as { data: { submitter_id: string }[] }
    expect(data.map(({ submitter_id }) => submitter_id)).toEqual(['C1', 'C2'])
    const none = await exported({ nodeLabel: 'slide', format: 'json' })
    expect(JSON.parse(none.text)).toEqual({ data: [] })
  })

  test('a table has the columns of the template, then those of links', async () => {
    await seedTree()
    const { text, fileName, kind } = await exported({ nodeLabel: 'aliquot' })
    expect([fileName, kind]).toEqual(['aliquot.tsv', 'tsv'])
    const [header = '', row = '', end] = text.split('\r\n')
    expect(end).toBe('')
    const dictionary = await MadeSubmission.dictionary()
    const type = dictionary.types.get('aliquot')
    const template = (type ? templateColumns(dictionary, type) : []).map((name) =>
      name.replace('*', ''),
    )
    const [first = '', ...others] = template.filter((name) => !name.includes('.'))
    const links = [
      'samples.id#1',
      'samples.submitter_id#1',
      'samples.id#2',
      'samples.submitter_id#2',
    ]
    expect(header.split('\t')).toEqual([
      ...[first, 'id', ...others],
      ...['analytes.id', 'analytes.submitter_id', 'centers.id', 'centers.code', ...links],
    ])
    const cells = new Map(header.split('\t').map((name, i) => [name, row.split('\t')[i]]))
    const parents = [idOf('S1'), idOf('S2')].sort()
    expect(links.map((name) => cells.get(name))).toEqual(
      parents.flatMap((id) => [id, id === idOf('S1') ? 'S1' : 'S2']),
    )
  })

  test('children come along where they are asked for, of the categories that are wanted', async () => {
    await seedTree()
    const of = async (asked: Partial<ExportRequest>) => {
      const found = JSON.parse((await exported({ ...asked, format: 'json' })).text) as object
      return Object.values(found).flatMap((all: { submitter_id: string }[]) =>
        all.map(({ submitter_id }) => submitter_id),
      )
    }
    const ids = [idOf('C1')]
    expect(await of({ ids })).toEqual(['C1'])
    expect(await of({ ids, withChildren: true })).toEqual(['A1', 'C1', 'D1', 'S1', 'S2'])
    const categories = ['clinical']
    expect(await of({ ids, withChildren: true, categories })).toEqual(['C1', 'D1'])
    // Entities in between are traversed, but not exported.
    const below = { ids, withChildren: true, categories: ['biospecimen'] }
    expect(await of(below)).toEqual(['A1', 'C1', 'S1', 'S2'])
  })

  test('tables of several types are an archive with one for each, the same for the same request', async () => {
    await seedTree()
    const asked = { ids: [idOf('C1')], withChildren: true, format: 'csv' } as const
    const { bytes, fileName, kind } = await exported(asked)
    expect([fileName, kind]).toEqual([expect.stringMatching(/^gdc_export_\w+.tar.gz$/), 'tar.gz'])
    const found = await members(bytes)
    expect(Object.keys(found)).toEqual(['aliquot.csv', 'case.csv', 'demographic.csv', 'sample.csv'])
    expect(found['demographic.csv']?.split('\r\n')[1]).toMatch(/^demographic,/)
    expect((await exported(asked)).bytes.equals(bytes)).toBe(true)
    const one = await exported({ ids: [idOf('C1'), idOf('C2')], format: 'csv' })
    expect(one.fileName).toBe('case.csv')
  })

  test('without ids a project can be made again elsewhere', async () => {
    const one = (type: string, submitter_id: string, more: object) => ({
      type,
      submitter_id,
      ...more,
    })
    await create([
      one('case', 'C1', {
        projects: { code: 'ONE' },
        disease_type: 'Gliomas',
        primary_site: 'Brain',
        tissue_source_sites: { code: 'a,\tb' },
      }),
      one('diagnosis', 'D1', {
        cases: { submitter_id: 'C1' },
        age_at_diagnosis: 1,
        morphology: '8000/0',
        primary_diagnosis: 'Glioma, NOS',
        tissue_or_organ_of_origin: 'Brain, NOS',
        site_of_resection_or_biopsy: 'Brain, NOS',
        diagnosis_is_primary_disease: true,
        sites_of_involvement: ['Adrenal gland, NOS', 'Bladder, NOS'],
      }),
      one('treatment', 'T1', { diagnoses: { submitter_id: 'D1' }, number_of_cycles: 4 }),
    ])
    const tables: string[] = []
    for (const nodeLabel of ['case', 'diagnosis', 'treatment']) {
      tables.push((await exported({ nodeLabel, withoutIds: true })).text)
    }
    const all = async () => {
      const { entities } = await stored()
      return new Map(entities.map((one) => [one.submitter_id, JSON.parse(one.properties)]))
    }
    const before = await all()
    await made.reset()
    await prepare()
    for (const table of tables) {
      expect(table.split('\r\n')[0]).not.toMatch(/(^|\t|\.)id(\t|$)/)
      expect(await put(table, 'tsv')).toMatchObject({ status: 200, created_entity_count: 1 })
    }
    expect(await all()).toEqual(before)
  })

  test('values that a cell cannot express stay as stored; blanks around a text are lost', async () => {
    const [id = ''] = await create([
      {
        type: 'case',
        submitter_id: ' C ',
        projects: { code: 'ONE' },
        disease_type: 'Gliomas',
        primary_site: 'Brain',
        consent_type: 'Informed Consent',
      },
    ])
    await made.database.write((transaction) =>
      transaction.run('UPDATE submission_entities SET properties = ?', [
        '{"disease_type":"Gliomas","primary_site":"Brain","consent_type":"null","index_date":" a "}',
      ]),
    )
    const { text } = await exported({ nodeLabel: 'case' })
    const [header = '', row = ''] = text.split('\r\n').map((line) => line.split('\t'))
    const cell = (name: string) => row[header.indexOf(name)]
    expect(['id', 'submitter_id', 'consent_type', 'index_date'].map(cell)).toEqual([
      id,
      '',
      '',
      ' a ',
    ])
    const { text: without } = await exported({ nodeLabel: 'case', withoutIds: true })
    expect(without).toContain('\t C \t')
  })

  test('ids that are not there are left out, and nothing found is reported', async () => {
    await seedTree()
    await made.register('DEMO-TWO')
    await made.seed('DEMO-TWO', { type: 'case', name: 'other' })
    const missing = [idOf('other'), crypto.randomUUID(), 'x\0', '']
    const { text } = await exported({ ids: [...missing, idOf('C2')], format: 'json' })
    expect(Object.keys(JSON.parse(text))).toEqual(['case'])
    const message = `Unable to find ${missing.join(', ')}`
    const refused = { code: 'not_found', message }
    await expect(exported({ ids: missing })).rejects.toMatchObject(refused)
    for (const nodeLabel of ['biscuit', 'project', 'center']) {
      const unknown = { code: 'not_found', message: `Unable to find ${nodeLabel}` }
      await expect(exported({ nodeLabel })).rejects.toMatchObject(unknown)
    }
    const neither = 'expected either `ids` or `node_label` parameter'
    await expect(exported({})).rejects.toMatchObject({ code: 'bad_input', message: neither })
  })

  test('the token is looked at first, then whether one may know of the project, then the right', async () => {
    const ada = { user: 'ada', admin: false, projects: new Map([[PROJECT, ['create', 'update']]]) }
    const asked = { nodeLabel: 'case', tokenGiven: true }
    await expect(
      exported({ ...asked, project: 'NONE', principal: undefined }),
    ).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(exported({ ...asked, project: 'NONE', principal: ada })).rejects.toMatchObject({
      code: 'not_found',
      message: 'Project NONE not found',
    })
    const stranger = { user: 'eve', admin: false, projects: new Map() }
    await expect(exported({ ...asked, principal: stranger })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(exported({ ...asked, principal: undefined })).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    await expect(exported({ ...asked, principal: ada })).rejects.toMatchObject({
      code: 'forbidden',
    })
    const reader = { ...ada, projects: new Map([[PROJECT, ['read']]]) }
    expect((await exported({ ...asked, principal: reader })).text).toMatch(/^type\tid\t/)
  })

  test('many entities are as of one moment, in the order of their creation', async () => {
    const names = Array.from({ length: 1201 }, (_, i) => `case ${i}`)
    await made.seed(PROJECT, ...names.map((name) => ({ type: 'case', name })))
    await using found = await exports.export({
      ...made.at(PROJECT),
      ids: [],
      nodeLabel: 'case',
      format: 'json',
      withoutIds: true,
      withChildren: false,
      categories: [],
    })
    // The export is complete before its body is read, so a reset does not affect it.
    await made.reset()
    const chunks: Buffer[] = []
    for await (const chunk of found.body) chunks.push(Buffer.from(chunk))
    const { data } = JSON.parse(Buffer.concat(chunks).toString()) as {
      data: { submitter_id: string }[]
    }
    expect(data.map(({ submitter_id }) => submitter_id)).toEqual(names)
    expect(readdirSync(made.folder).filter((name) => name.startsWith('export'))).toEqual([])
  })

  test('all ids are granted as one list, which is in the record before the export is sent', async () => {
    const names = Array.from({ length: 1201 }, (_, i) => `case ${i}`)
    await made.seed(PROJECT, ...names.map((name) => ({ type: 'case', name })))
    const asked = { ...made.at(PROJECT), nodeLabel: 'case', format: 'json' } as const
    const choice = { ids: [], withoutIds: false, withChildren: false, categories: [] }
    const granted = await grants.collect(async (collected) => {
      await using found = await recordedExports.export({ ...asked, ...choice })
      expect(found.length).toBeGreaterThan(0)
      return collected.grants.flatMap(({ entities }) => (entities ? [entities()] : []))
    })
    const [list = ''] = readdirSync(join(made.folder, 'audit'), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.txt'))
    const text = readFileSync(join(made.folder, 'audit', list), 'utf8')
    const sha256 = createHash('sha256').update(text).digest('hex')
    expect(granted).toEqual([{ count: 1201, sha256 }])
    const { text: json } = await exported({ nodeLabel: 'case', format: 'json' })
    const { data } = JSON.parse(json) as { data: { id: string }[] }
    expect(text.trimEnd().split('\n')).toEqual(data.map(({ id }) => id).sort())
  })

  test('a request that is given up ends the export', async () => {
    await seedTree()
    const controller = new AbortController()
    controller.abort()
    const given = exports.export(
      {
        ...made.at(PROJECT),
        ids: [],
        nodeLabel: 'case',
        format: 'json',
        withoutIds: false,
        withChildren: false,
        categories: [],
      },
      { signal: controller.signal },
    )
    await expect(given).rejects.toMatchObject({ name: 'AbortError' })
    expect((await exported({ nodeLabel: 'case' })).bytes.length).toBeGreaterThan(100)
  })
})

async function members(archive: Uint8Array): Promise<Readonly<Record<string, string>>> {
  const found = new Map<string, string>()
  const reading = extract()
  reading.end(gunzipSync(archive))
  for await (const entry of reading) {
    found.set(entry.header.name, (await buffer(entry)).toString())
  }
  return Object.fromEntries(found)
}
