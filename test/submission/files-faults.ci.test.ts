import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { FileService, md5Of, someBytes } from './support/file-service.ts'

// Uploads that break off, arrive twice at the same time, or name no target.

const BYTES = someBytes(500_000)

let service: FileService
beforeAll(async () => {
  service = await FileService.start()
})
afterAll(() => service.close())

/** Sends the head of a request and some bytes of its body. */
async function beginSending(path: string, length: number, bytes: Uint8Array) {
  const sent = request(service.address + path, {
    method: 'PUT',
    headers: { 'X-Auth-Token': service.admin, 'Content-Length': length },
  })
  sent.on('error', () => {})
  await new Promise<void>((resolve) => sent.write(bytes, () => resolve()))
  return sent
}

const pathOf = (id: string, tail = '') => `/submission/GDC/MISC/files/${id}${tail}`
const states = (id: string) => expect.poll(() => service.stateOf(id))
const unchecked = () => expect.poll(() => service.unchecked())

test('a client that goes away in the middle leaves nothing', async () => {
  const id = await service.add({ name: 'gone.fq', bytes: BYTES })
  const sent = await beginSending(pathOf(id), BYTES.length, BYTES.subarray(0, 300_000))
  await states(id).toBe('uploading')
  sent.destroy()
  await states(id).toBe('registered')
  await unchecked().toEqual([])
})

test('a client that goes away in the middle of a part leaves the other parts', async () => {
  const id = await service.add({ name: 'part-gone.fq', bytes: BYTES })
  const uploadId = await service.begin(id)
  await service.part(id, uploadId, 1, BYTES)
  const there = service.unchecked()
  const path = pathOf(id, `?uploadId=${uploadId}&partNumber=1`)
  const sent = await beginSending(path, BYTES.length, BYTES.subarray(0, 300_000))
  await expect.poll(() => service.unchecked().length).toBe(there.length + 1)
  sent.destroy()
  await unchecked().toEqual(there)
  expect((await service.complete(id, uploadId)).status).toBe(200)
  await states(id).toBe('validated')
})

test('a body that is shorter than announced is not taken', async () => {
  const id = await service.add({ name: 'short.fq', bytes: BYTES })
  const { hostname, port } = new URL(service.address)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const head = [
    ...[`PUT ${pathOf(id)} HTTP/1.1`, 'Host: x', `X-Auth-Token: ${service.admin}`],
    ...[`Content-Length: ${BYTES.length}`, '', ''],
  ]
  socket.write(head.join('\r\n'))
  // The connection is closed in order, as by a client that believes it has sent everything.
  socket.end(BYTES.subarray(1))
  await states(id).toBe('registered')
  await unchecked().toEqual([])
  socket.destroy()
})

test('while one body of a file arrives, another is refused', async () => {
  const id = await service.add({ name: 'twice.fq', bytes: BYTES })
  const sent = await beginSending(pathOf(id), BYTES.length, BYTES.subarray(0, 1000))
  const answered = new Promise<number | undefined>((resolve) => {
    sent.on('response', (answer) => resolve(answer.resume().statusCode))
  })
  await states(id).toBe('uploading')
  const other = await service.file('PUT', id, '', { body: someBytes(10) })
  expect([other.status, JSON.parse(other.text).message]).toEqual([
    ...[409, `File ${id} is being uploaded by another request`],
  ])
  sent.end(BYTES.subarray(1000))
  expect(await answered).toBe(200)
  await states(id).toBe('validated')
})

test('of many bodies that begin at once one wins', async () => {
  const id = await service.add({ name: 'at-once.fq', bytes: BYTES })
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => service.file('PUT', id, '', { body: BYTES })),
  )
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status === 400 || status === 409)).toHaveLength(7)
  await states(id).toBe('validated')
  await unchecked().toEqual([])
})

test('a sender who stalls is given up', async () => {
  await service.down()
  await service.up({ stallSeconds: 0.2 } as object)
  const id = await service.add({ name: 'stalled.fq', bytes: BYTES })
  const sent = await beginSending(pathOf(id), BYTES.length, BYTES.subarray(0, 1000))
  const status = await new Promise((resolve) => {
    sent.on('response', (answer) => resolve(answer.resume().statusCode))
  })
  expect(status).toBe(400)
  sent.destroy()
  await states(id).toBe('registered')
  await unchecked().toEqual([])
})

test('finished files go to object storage, and wait for it while it is down', async () => {
  const s3: S3Server = await startS3()
  const stored = await FileService.start(s3.options)
  try {
    const put = async (name: string) => {
      const id = await stored.add({ name, bytes: BYTES })
      expect((await stored.file('PUT', id, '', { body: BYTES })).status).toBe(200)
      await stored.engine.submission.files.idle()
      return id
    }
    const id = await put('there.bam')
    expect(await stored.stateOf(id)).toBe('validated')
    expect(await stored.engine.shared.files.find(id)).toMatchObject({
      storage: 's3',
      md5: md5Of(BYTES),
    })
    expect(stored.kept(id)).toEqual([])
    const got = await fetch(`${stored.address}/data/${id}`, {
      headers: { 'X-Auth-Token': stored.admin },
    })
    expect(md5Of(Buffer.from(await got.arrayBuffer()))).toBe(md5Of(BYTES))
    expect((await stored.file('DELETE', id)).status).toBe(204)
    expect(await stored.engine.shared.blobs.writing.identity({ id, name: 'there.bam' })).toBe(
      undefined,
    )

    s3.intercept = (_, response) => {
      // This status is not retried at once.
      response.writeHead(403).end()
      return true
    }
    const waiting = await put('waits.bam')
    expect(await stored.stateOf(waiting)).toBe('validating')
    expect(stored.unchecked()).toHaveLength(2)
    await stored.down()
    s3.intercept = () => false
    await stored.up()
    await stored.engine.submission.files.idle()
    expect(await stored.stateOf(waiting)).toBe('validated')
    expect(stored.unchecked()).toEqual([])
  } finally {
    await stored.close()
    await s3.stop()
    await sleep(0)
  }
})
