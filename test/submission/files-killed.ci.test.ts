import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FileService, md5Of, partList, someBytes } from './support/file-service.ts'

/** The number of kills at random moments. Twenty were run when this was written; each takes two seconds. */
const KILLS = 1
const MAX_ROUNDS = 5

const PROGRAM = join(import.meta.dirname, 'support/serve-files.ts')
const PARTS = 5
const PIECE = someBytes(4 << 20)
const PARTS_TOGETHER = Buffer.concat(Array(PARTS).fill(PIECE))

let service: FileService
let child: ChildProcess
beforeAll(async () => {
  service = await FileService.start()
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await service.close()
})

/** Starts the folder's server in a separate process, and returns its address. */
async function spawnServer(): Promise<string> {
  child = spawn(process.execPath, [PROGRAM, service.folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    return line
  }
  throw new Error('the server ended before it listened')
}

function sender(address: string) {
  const path = (id: string, tail: string) => `${address}/submission/GDC/MISC/files/${id}${tail}`
  const headers = { 'X-Auth-Token': service.admin }
  return {
    async send(method: string, id: string, tail: string, body?: Uint8Array | string) {
      const init = { method, headers, ...(body === undefined ? {} : { body }) } as RequestInit
      const answer = await fetch(path(id, tail), init)
      return { status: answer.status, text: await answer.text() }
    },
    /** Sends only the start of a body. */
    begin(id: string, tail: string) {
      const length = { 'Content-Length': PIECE.length, ...headers }
      const sent = request(path(id, tail), { method: 'PUT', headers: length })
      sent.on('error', () => {})
      sent.write(PIECE.subarray(0, 1 << 20))
    },
  }
}

const idIn = (text: string) => /<UploadId>([^<]*)/.exec(text)?.[1] ?? ''
const uploadFolder = (uploadId: string) => join(service.folder, 'uploads', uploadId)

/** Whether an upload is being assembled into one file, or has been. */
function isAssembling(uploadId: string): boolean {
  const folder = uploadFolder(uploadId)
  return !existsSync(folder) || readdirSync(folder).includes('whole')
}

test('work interrupted by a kill is continued by the next start', {
  timeout: MAX_ROUNDS * 120_000,
}, async () => {
  let inTheMiddle = 0
  for (let round = 0; inTheMiddle < KILLS && round < MAX_ROUNDS; round++) {
    const bytes = PARTS_TOGETHER
    const whole = await service.add({ name: `whole ${round}.bam`, bytes: PIECE })
    const parts = await service.add({ name: `parts ${round}.bam`, bytes })
    const open = await service.add({ name: `open ${round}.bam`, bytes })
    await service.down()
    const { send, begin } = sender(await spawnServer())

    const upload = idIn((await send('POST', parts, '?uploads')).text)
    const later = idIn((await send('POST', open, '?uploads')).text)
    for (let number = 1; number <= PARTS; number++) {
      const part = `?uploadId=${upload}&partNumber=${number}`
      expect((await send('PUT', parts, part, PIECE)).status).toBe(200)
    }
    await send('PUT', open, `?uploadId=${later}&partNumber=1`, PIECE)
    begin(open, `?uploadId=${later}&partNumber=2`)
    begin(whole, '')
    await expect.poll(() => readdirSync(join(service.folder, 'uploads')).length).toBe(4)
    await expect.poll(() => readdirSync(uploadFolder(later)).length).toBe(2)
    const tag = md5Of(PIECE)
    const list = partList(Array.from({ length: PARTS }, (_, i) => [i + 1, tag] as const))
    expect((await send('POST', parts, `?uploadId=${upload}`, list)).status).toBe(200)
    while (!isAssembling(upload)) await sleep(1)
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
    if (existsSync(uploadFolder(upload))) inTheMiddle++

    await service.up()
    await service.engine.submission.files.idle()
    expect(await service.stateOf(whole)).toBe('registered')
    expect(await service.stateOf(parts)).toBe('validated')
    expect(await service.engine.shared.files.find(parts)).toMatchObject({ size: bytes.length })
    expect(await service.stateOf(open)).toBe('uploading')
    for (let number = 2; number <= PARTS; number++) {
      expect((await service.part(open, later, number, PIECE)).status).toBe(200)
    }
    expect((await service.complete(open, later)).status).toBe(200)
    await service.file('PUT', whole, '', { body: PIECE })
    await service.engine.submission.files.idle()
    expect(await service.stateOf(open)).toBe('validated')
    expect(await service.stateOf(whole)).toBe('validated')
    expect(service.unchecked()).toEqual([])
  }
  expect(inTheMiddle).toBe(KILLS)
})
