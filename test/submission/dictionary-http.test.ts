import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { extract } from 'tar-stream'
import { expect, test } from 'vitest'
import { fakeApp } from '../commons/contract/fake-engine.ts'
import { depth } from '../depth.ts'

const { app } = fakeApp()

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  app.request(path, { headers })

async function readJson(path: string): Promise<Record<string, Record<string, unknown>>> {
  const response = await get(path)
  expect([path, response.status]).toEqual([path, 200])
  expect(response.headers.get('content-type')).toBe('application/json')
  return (await response.json()) as Record<string, Record<string, unknown>>
}

test('submission.md 5: the list has a path for each type and one for all, as the request began', async () => {
  const plain = (await readJson('/submission/_dictionary')) as unknown as { links: string[] }
  expect(Object.keys(plain)).toEqual(['links'])
  expect(plain.links).toHaveLength(84)
  expect(plain.links).toContain('/submission/_dictionary/read_group_qc')
  expect(plain.links).toContain('/submission/_dictionary/_all')
  const prefixed = (await readJson('//v0/submission/_dictionary/')) as unknown as typeof plain
  expect(prefixed.links).toEqual(plain.links.map((link) => `/v0${link}`))
  for (const link of prefixed.links) await readJson(link)
})

test('submission.md 5: all entries are the types and the shared files, each as it is alone', async () => {
  const all = await readJson('/v0/submission/_dictionary/_all')
  const shared = ['_definitions', '_terms', '_terms_enum', 'metaschema']
  expect(Object.keys(all)).toHaveLength(83 + shared.length)
  for (const entry of ['aliquot', 'annotation', ...shared]) {
    expect(all[entry]).toEqual(await readJson(`/submission/_dictionary/${entry}`))
  }
  expect(all.sample).toMatchObject({ id: 'sample', category: 'biospecimen', submittable: true })
})

test('submission.md 5: an unknown entry is 404 in the words that clients know', async () => {
  for (const entry of ['biscuit', '_ALL', '__proto__', 'constructor', 'aliquot.yaml']) {
    const response = await get(`/submission/_dictionary/${entry}`)
    const message = `Entry ${entry} not in dictionary`
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: message, message })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  }
})

test('who holds an entry is told so, and it is compressed as wished', async () => {
  for (const path of ['/submission/_dictionary/_all', '/submission/_dictionary']) {
    const plain = await get(path)
    const packed = await get(path, { 'Accept-Encoding': 'zstd' })
    expect(packed.headers.get('content-encoding')).toBe('zstd')
    const bytes = zstdDecompressSync(Buffer.from(await packed.arrayBuffer()))
    expect(bytes.equals(Buffer.from(await plain.arrayBuffer()))).toBe(true)
    for (const { headers } of [plain, packed]) {
      const held = headers.get('etag') ?? ''
      const again = await get(path, { 'If-None-Match': held, 'Accept-Encoding': 'zstd' })
      expect(again.status).toBe(304)
      expect(await again.text()).toBe('')
    }
  }
})

test('submission.md 6: the template of a type is TSV when nothing is said', async () => {
  const expected =
    'type\tproject_id\t*submitter_id\tread_groups.submitter_id\t*data_category\t*data_format\t' +
    '*data_type\t*experimental_strategy\t*file_name\t*file_size\t*md5sum\t'
  for (const path of ['template', 'templates']) {
    const response = await get(`/v0/submission/${path}/submitted_aligned_reads/`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename=submission_submitted_aligned_reads_template.tsv',
    )
    const [header = '', row = '', end] = (await response.text()).split('\r\n')
    expect(header.slice(0, expected.length)).toBe(expected)
    expect(row.replace(/\t+$/, '')).toBe('submitted_aligned_reads')
    expect(end).toBe('')
    const held = { 'If-None-Match': response.headers.get('etag') ?? '' }
    expect((await get(`/submission/${path}/submitted_aligned_reads`, held)).status).toBe(304)
  }
})

test('submission.md 6: a template as CSV has the same columns, as JSON the same names', async () => {
  const tsv = await (await get('/submission/template/case?format=tsv')).text()
  const csv = await get('/submission/template/case?format=CSV')
  expect(await csv.text()).toBe(tsv.replaceAll('\t', ','))
  expect(csv.headers.get('content-disposition')).toMatch(/_case_template\.csv$/)
  const json = await (await get('/submission/template/case?format=json')).text()
  // Python: json.dumps(..., indent=2, separators=(', ', ': '))
  expect(json.split('\n').slice(0, 8)).toEqual([
    '{',
    '  "type": "case", ',
    '  "project_id": null, ',
    '  "*submitter_id": null, ',
    '  "projects": {',
    '    "code": null',
    '  }, ',
    '  "tissue_source_sites": {',
  ])
  const names = tsv
    .split('\r\n')[0]
    ?.split('\t')
    .map((column) => column.split('.')[0])
  expect(Object.keys(JSON.parse(json))).toEqual(names)
})

test('submission.md 6: what is no type or no format is refused in the words that clients know', async () => {
  const type = await get('/submission/template/biscuit')
  expect(type.status).toBe(404)
  expect(await type.json()).toMatchObject({ message: 'Entity type biscuit is not in dictionary' })
  for (const path of ['/submission/template?format=xml', '/submission/templates/case?format=xml']) {
    const format = await get(path)
    expect(format.status).toBe(400)
    expect(await format.json()).toMatchObject({
      error: 'Format xml is not supported; supported formats are: csv,tsv,json.',
    })
  }
})

test('submission.md 6: all templates are one list, or an archive with a file for each type', async () => {
  const list = await get('/submission/template?format=json')
  expect(list.headers.get('content-disposition')).toMatch(/=submission_templates\.json$/)
  const documents = (await list.json()) as { type: string }[]
  expect(documents).toHaveLength(71)

  const archive = await get('/submission/template?format=csv', { 'Accept-Encoding': 'br' })
  expect(archive.headers.get('content-disposition')).toMatch(/=submission_templates\.tar\.gz$/)
  expect(archive.headers.get('content-encoding')).toBeNull()
  const files = await unpack(Buffer.from(await archive.arrayBuffer()))
  expect([...files.keys()]).toEqual(documents.map(({ type }) => `${type}.csv`))
  const slide = await get('/submission/template/slide?format=csv')
  expect(files.get('slide.csv')).toBe(await slide.text())
  const held = { 'If-None-Match': archive.headers.get('etag') ?? '' }
  expect((await get('/submission/templates?format=csv', held)).status).toBe(304)
})

test('submission.md 6: templates are chosen by category, and types left out', async () => {
  const query = 'format=json&categories=biospecimen,%20clinical&exclude=clinical,slide'
  const chosen = await get(`/submission/template?${query}`)
  const types = ((await chosen.json()) as { type: string }[]).map(({ type }) => type)
  expect(types).toEqual([
    ...['aliquot', 'analyte', 'demographic', 'diagnosis', 'exposure', 'family_history'],
    ...['follow_up', 'molecular_test', 'other_clinical_attribute', 'pathology_detail', 'portion'],
    ...['read_group', 'sample', 'treatment'],
  ])
  const none = await get('/submission/template?categories=biscuit')
  expect([...(await unpack(Buffer.from(await none.arrayBuffer()))).keys()]).toEqual([])
})

test('other methods are 405, and what a browser asks before is allowed', async () => {
  const paths = [
    '/submission/_dictionary/case',
    '/submission/template',
    '/submission/template/case',
  ]
  for (const path of paths) {
    const posted = await app.request(path, { method: 'POST', body: '{}' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const head = await app.request(path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await app.request(path, { method: 'OPTIONS' })).status).toBe(204)
  }
})

test('no name, format or choice makes the service fail', async () => {
  const word = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('case', 'aliquot', '_all', '__proto__', 'toString', '..', 'a/b', '%00', ''),
  )
  const path = fc.constantFrom('_dictionary', 'template', 'templates')
  await fc.assert(
    fc.asyncProperty(path, word, word, fc.array(word), async (target, name, format, chosen) => {
      const query = new URLSearchParams([
        ['format', format],
        ...chosen.map((one): [string, string] => ['exclude', one]),
        ...chosen.map((one): [string, string] => ['categories', one]),
      ])
      const tail = encodeURIComponent(name.toWellFormed())
      const response = await get(`/submission/${target}/${tail}?${query}`)
      expect([200, 400, 404]).toContain(response.status)
      await response.arrayBuffer()
    }),
    { numRuns: depth(30, 150), seed: 43 },
  )
})

async function unpack(archive: Uint8Array): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const reading = extract()
  reading.end(gunzipSync(archive))
  for await (const entry of reading) {
    const chunks: Buffer[] = []
    for await (const chunk of entry) chunks.push(chunk as Buffer)
    files.set(entry.header.name, Buffer.concat(chunks).toString())
  }
  return files
}
