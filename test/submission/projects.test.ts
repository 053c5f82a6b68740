import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AS_ADMIN, idOf, MadeSubmission, type UploadBody } from './support/service.ts'

let made: MadeSubmission
beforeAll(async () => {
  made = await MadeSubmission.open()
})
beforeEach(() => made.reset())
afterAll(() => made.close())

const json = (body: object) => ({
  ...AS_ADMIN,
  body: Buffer.from(JSON.stringify(body)),
  format: 'json' as const,
})

test('programs and projects have the ids that they have everywhere', async () => {
  const { projects } = made.submission
  const program = { type: 'program', name: 'CGCI', dbgap_accession_number: 'phs000235' }
  const first = await projects.putProgram(json(program))
  // python3 -c "import uuid; print(uuid.uuid5(uuid.UUID('85b08c6a-56a6-4474-9c30-b65abfd214a8'), 'CGCI'))"
  const id = 'd339a424-ad52-5351-a499-493973249414'
  expect(first.status).toBe(200)
  expect(first.body).toEqual({ id, name: 'CGCI', message: 'Program registered.' })
  expect(first.entities?.()).toEqual([id])
  const again = await projects.putProgram(json(program))
  expect(again.body).toEqual({ id, name: 'CGCI', message: 'Program is updated!' })
  const project = {
    code: 'BLGSP',
    name: 'Burkitt',
    dbgap_accession_number: 'phs1',
    state: 'legacy',
  }
  const put = await projects.putProject({ ...json(project), program: 'cgci' })
  expect(put.status).toBe(200)
  expect((put.body as UploadBody).entities[0]).toMatchObject({
    action: 'create',
    id: 'daa208a7-f57a-562c-a04a-7a7c77542c98',
    type: 'project',
    unique_keys: [{ code: 'BLGSP' }],
  })
  const changed = await projects.putProject({ ...json(project), program: 'CGCI' })
  expect((changed.body as UploadBody).entities[0]).toMatchObject({ action: 'update' })
  const wrong = await projects.putProject({ ...json({ ...project, nam: 'x' }), program: 'CGCI' })
  expect(wrong.status).toBe(400)
  expect(await projects.programs(AS_ADMIN)).toEqual(['CGCI'])
  expect(await projects.codes({ ...AS_ADMIN, program: 'CGCI' })).toEqual(['BLGSP'])
})

test.each([
  [{ name: 'A' }, "Invalid type in key type=''"],
  [{ type: 'program' }, "No program specified in key 'name'"],
  [{ type: 'program', name: 'A-B' }, 'program name'],
  [{ type: 'program', name: '_dictionary' }, 'program name'],
  [{ type: 'program', name: 'graphql' }, 'reserved'],
])('program %j is refused', async (body, message) => {
  await expect(made.submission.projects.putProgram(json(body))).rejects.toThrow(message)
})

test.each([
  [{ name: 'A' }, "No project specified in key 'code'"],
  [{ code: 'A' }, 'No dbgap_accession_number specified.'],
  [{ code: 'files', dbgap_accession_number: 'x' }, 'reserved'],
  [{ code: 'A/B', dbgap_accession_number: 'x' }, 'letters'],
  [{ code: 'OTHER', dbgap_accession_number: 'x' }, 'taken by another program'],
])('project %j is refused', async (body, message) => {
  await made.register('TCGA-OTHER')
  await made.register('GDC-INTERNAL')
  const request = { ...json(body), program: 'GDC' }
  await expect(made.submission.projects.putProject(request)).rejects.toThrow(message)
})

test('only who administers may register and remove, and only what is empty goes', async () => {
  const { projects } = made.submission
  await made.register('GDC-INTERNAL')
  const roles = new Map([['GDC-NEW', ['admin']]])
  const one = { principal: { user: 'one', admin: false, projects: roles }, tokenGiven: true }
  const program = { ...json({ type: 'program', name: 'X' }), ...one }
  await expect(projects.putProgram(program)).rejects.toThrow('admin role')
  const body = { code: 'NEW', dbgap_accession_number: 'x' }
  const put = { ...json(body), ...one, program: 'GDC' }
  expect((await projects.putProject(put)).status).toBe(200)
  const other = { ...json({ ...body, code: 'NEWER' }), ...one, program: 'GDC' }
  await expect(projects.putProject(other)).rejects.toThrow('admin role')

  await made.seed('GDC-INTERNAL', { type: 'case', name: 'C' })
  const at = { ...AS_ADMIN, program: 'GDC', project: 'INTERNAL' }
  await expect(projects.deleteProject(at)).rejects.toThrow('it has entities')
  await made.delete('GDC-INTERNAL', [idOf('C')])
  await projects.deleteProject(at)
  await expect(projects.deleteProgram(at)).rejects.toThrow('it has projects')
  await projects.deleteProject({ ...at, project: 'NEW' })
  await projects.deleteProgram(at)
  expect(await projects.programs(AS_ADMIN)).toEqual([])
})
