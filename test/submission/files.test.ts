import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { FileService, md5Of, partList, someBytes } from './support/file-service.ts'

// Uploads of submitted files over HTTP (submission.md 2, 13.2, 14).

const BYTES = someBytes(600_000)

let service: FileService
beforeAll(async () => {
  service = await FileService.start()
})
afterAll(() => service.close())
afterEach(() => service.engine.submission.files.idle())

const settle = () => service.engine.submission.files.idle()

const cut = (bytes: Buffer, at: number) => [bytes.subarray(0, at), bytes.subarray(at)] as const

test('a body is taken, checked and handed out to who may read the project', async () => {
  const id = await service.add({ name: 'one.fq', bytes: BYTES })
  const dry = await service.file('PUT', id, '/_dry_run')
  expect(dry.status).toBe(200)
  expect(JSON.parse(dry.text).message).toBe(
    'Transaction would have been successful. User selected dry run option; transaction aborted, no data written to object storage.',
  )
  expect(await service.stateOf(id)).toBe('registered')
  expect(await service.file('PUT', id, '', { body: BYTES })).toMatchObject({ status: 200 })
  await settle()
  expect(await service.stateOf(id)).toBe('validated')
  expect(await service.uploaded()).toEqual([])
  const path = `/data/${id}`
  expect((await service.ask('GET', path, { token: null })).status).toBe(404)
  const stranger = await service.engine.shared.tokens.create({
    user: 'stranger',
    projects: ['GDC-OTHER'],
  })
  expect((await service.ask('GET', path, { token: stranger.secret })).status).toBe(404)
  const got = await fetch(service.address + path, {
    headers: { 'X-Auth-Token': await service.token('download') },
  })
  expect(got.status).toBe(200)
  expect(md5Of(Buffer.from(await got.arrayBuffer()))).toBe(md5Of(BYTES))
  expect(got.headers.get('content-disposition')).toContain('one.fq')
})

test('a body in chunks of unknown number, by POST, is taken as well', async () => {
  const id = await service.add({ name: 'chunked.fq', bytes: BYTES })
  const body = new Blob([BYTES]).stream()
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  expect((await service.file('POST', id, '', { body, headers })).status).toBe(200)
  await settle()
  expect(await service.stateOf(id)).toBe('validated')
})

test('an empty file is a file', async () => {
  const id = await service.add({ name: 'empty.txt', bytes: Buffer.alloc(0) })
  expect((await service.file('PUT', id)).status).toBe(200)
  await settle()
  expect(await service.stateOf(id)).toBe('validated')
})

test.each([
  ['file_size', { size: 5 }],
  ['md5sum', { md5: '0'.repeat(32) }],
])('bytes of another %s are taken, found wrong, and can be sent anew', async (failure, said) => {
  const id = await service.add({ name: 'wrong.fq', bytes: BYTES, ...said })
  expect((await service.file('PUT', id, '', { body: BYTES })).status).toBe(200)
  await settle()
  expect(await service.stateOf(id)).toBe(`error: ${failure}`)
  expect(await service.uploaded()).toEqual([])
  expect((await service.ask('GET', `/data/${id}`)).status).toBe(404)
  expect((await service.file('PUT', id, '', { body: BYTES })).status).toBe(200)
  await settle()
  expect((await service.file('DELETE', id)).status).toBe(204)
  expect(await service.stateOf(id)).toBe('registered')
})

test('parts come in any order and again, are listed by number, and make the file', async () => {
  const id = await service.add({ name: 'parts.bam', bytes: BYTES })
  const begun = await service.file('POST', id, '?uploads')
  expect(begun.headers.get('content-type')).toBe('application/xml')
  expect(begun.text).toMatch(/<InitiateMultipartUploadResult xmlns="http:[^"]+2006-03-01\/">/)
  const uploadId = /<UploadId>([^<]*)/.exec(begun.text)?.[1] ?? ''
  expect(await service.stateOf(id)).toBe('uploading')
  const empty = await service.file('GET', id, `?uploadId=${uploadId}`)
  expect(empty.text).not.toContain('<Part>')
  const [first, rest] = cut(BYTES, 200_001)
  const [second, third] = cut(rest, 200_000)
  const tags = []
  for (const [number, bytes] of [
    [7, third],
    [2, someBytes(10, 9)],
    [1, first],
    [2, second],
  ] as const) {
    const { status, headers } = await service.part(id, uploadId, number, bytes)
    expect([status, headers.get('etag')]).toEqual([200, `"${md5Of(bytes)}"`])
    tags.push(headers.get('etag'))
  }
  const { text } = await service.file('GET', id, `?uploadId=${uploadId}`)
  expect(text).toMatch(/<ListPartsResult xmlns="http:[^"]+2006-03-01\/">/)
  expect([...text.matchAll(/<PartNumber>(\d+)/g)].map(([, number]) => number)).toEqual([
    ...['1', '2', '7'],
  ])
  expect([...text.matchAll(/<Size>(\d+)/g)].map(([, size]) => Number(size))).toEqual([
    ...[first, second, third].map(({ length }) => length),
  ])
  const completed = await service.complete(id, uploadId)
  expect(completed.status).toBe(200)
  // Object storage computes the tag like this: the md5 of the parts' md5s.
  const tag = md5Of(Buffer.from([first, second, third].map(md5Of).join(''), 'hex'))
  expect(completed.text).toContain(`${tag}-3`)
  await settle()
  expect(await service.stateOf(id)).toBe('validated')
  expect(await service.uploaded()).toEqual([])
  expect(await service.stored(id)).toEqual(['parts.bam'])
  const again = await service.file('PUT', id, '', { body: BYTES })
  expect([again.status, JSON.parse(again.text).message]).toEqual([
    ...[400, 'File in validated state, upload not allowed'],
  ])
})

test('parts that arrive at the same time do not mix', async () => {
  const bytes = someBytes(20 * 10_000, 5)
  const id = await service.add({ name: 'many.bam', bytes })
  const uploadId = await service.begin(id)
  const parts = Array.from({ length: 20 }, (_, i) => bytes.subarray(i * 10_000, (i + 1) * 10_000))
  const statuses = await Promise.all(
    parts.toReversed().map((part, i) => service.part(id, uploadId, 20 - i, part)),
  )
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await service.complete(id, uploadId)).status).toBe(200)
  await settle()
  expect(await service.stateOf(id)).toBe('validated')
})

test('a list that is not of what arrived completes nothing', async () => {
  const id = await service.add({ name: 'listed.bam', bytes: BYTES })
  const uploadId = await service.begin(id)
  await service.part(id, uploadId, 1, BYTES)
  const tag = md5Of(BYTES)
  const root = 'CompleteMultipartUpload'
  for (const [body, told] of [
    [partList([]), 'is empty'],
    [`<${root}/>`, 'is empty'],
    [partList([[2, tag]]), 'part 2 has not arrived'],
    [partList([[1, md5Of(Buffer.alloc(1))]]), 'part 1 has another ETag'],
    [partList([...Array(2)].map(() => [1, tag] as const)), 'part 1 is listed twice'],
    [`<${root}><Part><PartNumber>1</PartNumber></Part></${root}>`, 'not one PartNumber'],
    ['<other/>', 'is no CompleteMultipartUpload'],
    ['', 'not well-formed'],
    [`<${root}><Part>`, 'not well-formed'],
    [`<!DOCTYPE a [<!ENTITY b "c">]><${root}>&b;</${root}>`, 'has declarations'],
    [`<${root}>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</${root}>`, 'not well-formed'],
  ] as const) {
    const { status, text } = await service.file('POST', id, `?uploadId=${uploadId}`, { body })
    expect([status, text], body).toEqual([400, expect.stringContaining(told)])
  }
  expect(await service.stateOf(id)).toBe('uploading')
  // Other clients write it without quotes, or with quotes as XML escapes them, in a namespace.
  const xmlns = ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
  const body = partList([[1, `&quot;${tag}&quot;`]]).replace(root, root + xmlns)
  expect((await service.file('POST', id, `?uploadId=${uploadId}`, { body })).status).toBe(200)
  await settle()
  expect(await service.stateOf(id)).toBe('validated')
})

test('parts that a list leaves out are not in the file', async () => {
  const id = await service.add({ name: 'left-out.bam', bytes: BYTES })
  const uploadId = await service.begin(id)
  await service.part(id, uploadId, 1, BYTES)
  await service.part(id, uploadId, 2, BYTES)
  const body = partList([[1, md5Of(BYTES)]])
  expect((await service.file('POST', id, `?uploadId=${uploadId}`, { body })).status).toBe(200)
  await settle()
  expect(await service.stateOf(id)).toBe('validated')
})

test('an upload is given up once, and the file is as before', async () => {
  const id = await service.add({ name: 'aborted.bam', bytes: BYTES })
  const uploadId = await service.begin(id)
  await service.part(id, uploadId, 1, BYTES)
  const other = await service.begin(id)
  const abort = (upload: string) => service.file('DELETE', id, `?uploadId=${upload}`)
  expect((await abort(uploadId)).status).toBe(204)
  expect(await service.stateOf(id)).toBe('uploading')
  const gone = await service.part(id, uploadId, 2, BYTES)
  expect([gone.status, gone.text]).toEqual([404, expect.stringContaining("doesn't exist")])
  expect((await abort(other)).status).toBe(204)
  expect(await service.stateOf(id)).toBe('registered')
  expect(await service.uploaded()).toEqual([])
  const again = await abort(other)
  expect([again.status, JSON.parse(again.text).message]).toEqual([
    ...[400, 'File in registered state, abort_multipart not allowed'],
  ])
})

test('of two uploads in parts the first that is completed counts', async () => {
  const id = await service.add({ name: 'raced.bam', bytes: BYTES })
  const [one, other] = [await service.begin(id), await service.begin(id)]
  await service.part(id, one, 1, someBytes(5))
  await service.part(id, other, 1, BYTES)
  const statuses = await Promise.all([service.complete(id, other), service.complete(id, other)])
  expect(statuses.map(({ status }) => status).sort()).toEqual([200, 400])
  expect((await service.complete(id, one)).status).toBe(400)
  await settle()
  expect(await service.stateOf(id)).toBe('validated')
  expect(await service.uploaded()).toEqual([])
})

test('data that were not handed over are removed, and nobody gets them any more', async () => {
  const id = await service.add({ name: 'removed.fq', bytes: BYTES })
  await service.file('PUT', id, '', { body: BYTES })
  // The deletion comes during the check or after it.
  expect((await service.file('DELETE', id)).status).toBe(204)
  expect(await service.stateOf(id)).toBe('registered')
  await settle()
  expect([await service.stateOf(id), await service.stored(id)]).toEqual(['registered', []])
  await service.file('PUT', id, '', { body: BYTES })
  await settle()
  expect(await service.stored(id)).toEqual(['removed.fq'])
  expect((await service.file('DELETE', id)).status).toBe(204)
  expect([await service.stored(id), await service.uploaded()]).toEqual([[], []])
  expect((await service.ask('GET', `/data/${id}`)).status).toBe(404)
  expect((await service.file('DELETE', id)).status).toBe(204)
})

test('each action asks for its role, before the file is looked at', async () => {
  const id = await service.add({ name: 'roles.fq', bytes: BYTES })
  const uploadId = await service.begin(id)
  const upload = `?uploadId=${uploadId}`
  for (const [method, tail, role, action] of [
    ['PUT', '', 'create', 'upload'],
    ['PUT', '/_dry_run', 'create', 'upload'],
    ['POST', '?uploads', 'create', 'initiate_multipart'],
    ['PUT', `${upload}&partNumber=1`, 'create', 'upload_part'],
    ['GET', upload, 'read', 'list_parts'],
    ['POST', upload, 'create', 'complete_multipart'],
    ['DELETE', upload, 'create', 'abort_multipart'],
    ['DELETE', '', 'delete', 'delete'],
  ] as const) {
    const roles = ['read', 'create', 'update', 'delete', 'release', 'download']
    const token = await service.token(...roles.filter((one) => one !== role))
    for (const file of [id, 'no-file']) {
      const refused = await service.file(method, file, tail, { token })
      expect([refused.status, JSON.parse(refused.text)], action).toEqual([
        403,
        expect.objectContaining({
          message: expect.stringContaining(`You don't have ${role} role to do '${action}'`),
        }),
      ])
    }
  }
  expect((await service.file('PUT', id, '', { token: null })).status).toBe(403)
  await service.file('DELETE', id, upload)
})

test('files of other projects are not found, and upload URLs return no bytes', async () => {
  const id = await service.add({ name: 'found.fq', bytes: BYTES })
  for (const unknown of [crypto.randomUUID(), 'x', '..%2F..%2Fetc', 'a'.repeat(5000)]) {
    const { status, text } = await service.file('PUT', unknown, '', { body: BYTES })
    expect([status, text]).toEqual([404, expect.stringContaining("doesn't exist in GDC-MISC")])
  }
  const got = await service.file('GET', id)
  expect([got.status, JSON.parse(got.text).message]).toEqual([
    405,
    'Method GET not allowed on file',
  ])
  expect((await service.file('PUT', id, '?partNumber=1')).status).toBe(400)
  expect((await service.file('PUT', id, '?uploadId=x&partNumber=-1')).status).toBe(400)
  expect((await service.file('PATCH', id)).status).toBe(405)
  const uploadId = await service.begin(id)
  for (const number of [0, 10_001, 999_999_999]) {
    expect((await service.part(id, uploadId, number, BYTES)).status).toBe(400)
  }
  for (const upload of [crypto.randomUUID(), '..', '%00', "' OR 1"]) {
    const { status } = await service.part(id, upload, 1, BYTES)
    expect(status).toBe(upload === '%00' ? 400 : 404)
  }
  await service.file('DELETE', id, `?uploadId=${uploadId}`)
})

test('names of a project are met in whatever letters the transfer client sends', async () => {
  const id = await service.add({ name: 'letters.fq', bytes: BYTES })
  const path = `/submission/gdc/misc/files/${id.toUpperCase()}/`
  expect((await service.ask('PUT', path, { body: BYTES })).status).toBe(200)
  await settle()
  expect(await service.stateOf(id)).toBe('validated')
})

test('a project under review takes no data, and gives up what is under way', async () => {
  const id = await service.add({ name: 'locked.fq', bytes: BYTES })
  const uploadId = await service.begin(id)
  await service.ask('POST', '/submission/GDC/MISC/review')
  const { status, text } = await service.file('PUT', id, '', { body: BYTES })
  expect([status, text]).toEqual([400, expect.stringContaining("Project is in state 'review'")])
  expect((await service.part(id, uploadId, 1, BYTES)).status).toBe(400)
  expect((await service.file('DELETE', id)).status).toBe(400)
  expect((await service.file('DELETE', id, `?uploadId=${uploadId}`)).status).toBe(204)
  await service.ask('POST', '/submission/GDC/MISC/open')
})

test('whatever is asked for, the answer is no failure of the service', async () => {
  const id = await service.add({ name: 'fuzz.fq', bytes: BYTES })
  const uploadId = await service.begin(id)
  let state = 7
  const pick = <T>(all: readonly T[]): T => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return all[(state >>> 16) % all.length] as T
  }
  const odd = ['', '1', '-1', '1e9', '%F0%9F', 'é', uploadId, id, 'null', '&', 'a'.repeat(300)]
  const bodies = [undefined, '', 'x', '<a>', partList([[1, '"']]), BYTES.subarray(0, 9)]
  for (let round = 0; round < 150; round++) {
    const method = pick(['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'PATCH'])
    const names = ['uploads', 'uploadId', 'partNumber', 'other']
    const query = [1, 2].map(() => `${pick(names)}=${pick(odd)}`).join('&')
    const tail = `${pick(['', '/_dry_run', '/', '/x'])}?${query}`
    const body = method === 'GET' || method === 'HEAD' ? undefined : pick(bodies)
    const { status } = await service.file(method, pick([id, id, odd[3] ?? '']), tail, { body })
    expect(status, `${method} ${tail}`).toBeLessThan(500)
  }
})

test('a name that is no plain file name is refused before a byte is taken', async () => {
  const id = await service.add({ name: '../up.fq', bytes: BYTES })
  const { status, text } = await service.file('PUT', id, '', { body: BYTES })
  expect([status, text]).toEqual([400, expect.stringContaining('no plain file name')])
  expect(await service.stateOf(id)).toBe('registered')
})

test('neither names nor ids of files nor tokens are in the log', async () => {
  const told = service.lines.join('\n')
  for (const word of ['GDC-MISC', 'one.fq', service.admin, 'MISC/files']) {
    expect(told).not.toContain(word)
  }
  expect(service.lines.filter((line) => JSON.parse(line).level === 'error')).toEqual([])
})
