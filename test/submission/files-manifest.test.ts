import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { FileService, md5Of, PROJECT } from './support/file-service.ts'

// Manifests for uploads (submission.md 14).

const BYTES = Buffer.from('some bytes')

let service: FileService
beforeAll(async () => {
  service = await FileService.start()
})
afterAll(() => service.close())

const manifest = (ids: string, name = 'manifest', token = service.admin) =>
  service.ask('GET', `/v0/submission/GDC/MISC/${name}?ids=${ids}`, { token })

test('a manifest has what an export has of each file, and its name on the disk', async () => {
  // These names have another meaning in the YAML that the client reads.
  const names = ['reads.fq', 'yes', '2026-01-01', '0x10', '1_000', '~', 'a: b', '# c', 'ä "d"']
  const ids: string[] = []
  for (const name of names) ids.push(await service.add({ name, bytes: BYTES }))
  const { status, headers, text } = await manifest(ids.join())
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/yaml')
  expect(headers.get('content-disposition')).toBe('attachment; filename=submission_manifest.yaml')
  const { files } = parse(text, { version: '1.1' })
  expect(files).toHaveLength(names.length)
  for (const [i, name] of names.entries()) {
    expect(files[i]).toMatchObject({
      id: ids[i],
      file_name: name,
      local_file_path: name,
      project_id: PROJECT,
      type: 'submitted_unaligned_reads',
      file_size: BYTES.length,
      md5sum: md5Of(BYTES),
      data_format: 'FASTQ',
      experimental_strategy: null,
      read_groups: [],
    })
    for (const hidden of ['state', 'file_state', 'error_type', 'created_datetime']) {
      expect(files[i]).not.toHaveProperty(hidden)
    }
  }
  expect((await manifest(ids.join(), 'upload_manifest')).text).toBe(text)
  const verdict = await service.ask('POST', '/submission/validation/upload_manifest', {
    body: text,
    token: service.admin,
  })
  expect([verdict.status, JSON.parse(verdict.text)]).toEqual([200, { valid: true }])
})

test('files of other projects are refused, and callers without the right to read', async () => {
  const id = await service.add({ name: 'a.fq', bytes: BYTES })
  const made = await service.ask('POST', '/submission/GDC/MISC', {
    body: JSON.stringify({
      type: 'case',
      submitter_id: 'a',
      projects: { code: 'MISC' },
      disease_type: 'Gliomas',
      primary_site: 'Brain',
    }),
  })
  const caseId: string = JSON.parse(made.text).entities[0].id
  for (const [ids, status, told] of [
    [caseId, 400, `case ${caseId} is not a data file.`],
    ['', 400, "No ids specified. Use query parameter 'ids', e.g. 'ids=id1,id2'."],
    ['x', 404, 'Not found: x'],
    [`${id},${crypto.randomUUID()}`, 404, 'Not found: '],
  ] as const) {
    const answer = await manifest(ids)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(told)])
  }
  expect((await manifest(id, 'manifest', await service.token('create'))).status).toBe(403)
  expect((await service.ask('GET', `/submission/GDC/NONE/manifest?ids=${id}`)).status).toBe(404)
})

test('errors of a manifest are reported to anybody with a token', async () => {
  const token = await service.token('read')
  const validate = (body: string) =>
    service.ask('POST', '/submission/validation/upload_manifest', { body, token })
  const { status, text } = await validate('files:\n- id: x\n  file_name: a\n')
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      valid: false,
      errors: ["files[0]: 'id' is not a UUID", "files[0]: 'project_id' is a required property"],
    },
  ])
  expect((await validate(`files: [${'x,'.repeat(600_000)}]`)).status).toBe(413)
})
