import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { type RunningServer, startServer } from '../../../server/main.ts'
import { available } from '../../available.ts'
import { sendRaw } from '../../clients/raw-request.ts'
import type { Places } from '../../deployment/documented.ts'
import { type Nginx, startNginx } from '../../deployment/nginx.ts'
import { OPERATORS_PATHS, REFUSALS } from '../../deployment/operators-paths.ts'
import { keptLog } from './fake-engine.ts'
import { testDownloads } from './support/download-behaviour.ts'
import { idOf, recordOf, SURROUNDINGS, someBytes } from './support/download-records.ts'
import { type DownloadWorld, openWorld } from './support/download-world.ts'

// With the documented configuration, a client cannot tell that nginx sends the bytes.

const NAMES = [
  'a b.txt',
  '50%.txt',
  '%2e%2e%2fx',
  'a?b#c&d.txt',
  'a..b',
  '..a',
  "it's (1)*.txt",
  'ü;=,@.bam',
]
const flags = { port: 0, drainSeconds: 0, logLevel: 'silent', accelPrefix: '/internal-files/' }
const status = { commit: 'test', tag: '0.0.0' }

/** Starts nginx with the documented configuration before a service and its data folder. */
const behindNginx = (service: string, dataFolder: string, places: Places = {}) =>
  startNginx('nginx/casemill.conf', {
    ...places,
    'http://127.0.0.1:8080': service,
    '/var/lib/casemill/': `${dataFolder}/`,
  })

describe.runIf(available.nginx)('behind nginx', () => {
  testDownloads(async (engine, folder) => {
    const config = readConfig({ flags })
    const { log } = keptLog(config)
    const server = await startServer({ engine, config, status, log })
    const nginx = await behindNginx(server.address, folder)
    return {
      request: (path, init) => fetch(nginx.address + path, init),
      async close() {
        await nginx.close()
        await server.close()
      },
    }
  })

  describe('bytes', () => {
    const files = NAMES.map((name, i) => ({ id: idOf(i + 1), name, bytes: someBytes(3000, i) }))
    let world: DownloadWorld
    let server: RunningServer
    let nginx: Nginx

    beforeAll(async () => {
      world = await openWorld({ ...SURROUNDINGS, files: files.map((file) => recordOf(file)) })
      for (const file of files) await world.store(file)
      const config = readConfig({ flags })
      server = await startServer({ engine: world.engine, config, status, log: keptLog(config).log })
      nginx = await behindNginx(server.address, world.folder)
    })
    afterAll(async () => {
      await nginx.close()
      await server.close()
      await world.close()
    })

    test.each(files)('of "$name" come from nginx', async ({ id, bytes }) => {
      const before = world.engine.load().bytesDownloaded
      const response = await fetch(`${nginx.address}/data/${id}`)
      expect(response.status).toBe(200)
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
      expect(response.headers.has('x-accel-redirect')).toBe(false)
      const etag = response.headers.get('etag') ?? ''
      const headers = { Range: 'bytes=10-19', 'If-Range': etag }
      const part = await fetch(`${nginx.address}/data/${id}`, { headers })
      expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/3000'])
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true)
      expect(world.engine.load().bytesDownloaded).toBe(before)
    })

    test.each([
      '/internal-files/{id}/a%20b.txt',
      '//internal-files/{id}/a%20b.txt',
      '/%69nternal-files/{id}/a%20b.txt',
      '/data/../internal-files/{id}/a%20b.txt',
      '/data/%2e%2e/internal-files/{id}/a%20b.txt',
      '/internal-files/../internal-files/{id}/a%20b.txt',
    ])('%s is not found', async (path) => {
      const target = path.replace('{id}', files[0]!.id)
      const headers = { 'X-Accel-Redirect': target }
      expect((await sendRaw(nginx.address, { target, headers })).status).toBe(404)
    })

    test('paths for operators are 404 for clients', async () => {
      for (const target of OPERATORS_PATHS) {
        const direct = await sendRaw(server.address, { target })
        const through = await sendRaw(nginx.address, { target })
        expect([target, direct.status]).toEqual([target, 200])
        expect(REFUSALS, `${target}: ${through.text}`).toContain(through.status)
      }
      expect((await sendRaw(nginx.address, { target: '/health/ready' })).status).toBe(200)
    })

    test('responses by HTTP/1.0 have a length, so that a truncated one does not look complete', async () => {
      const places = { 'proxy_http_version 1.1': 'proxy_http_version 1.0' }
      const old = await behindNginx(server.address, world.folder, places)
      try {
        const path = '/clinical_tar'
        const [direct, through] = [
          await fetch(server.address + path),
          await fetch(old.address + path),
        ]
        const bytes = Buffer.from(await direct.arrayBuffer())
        expect(direct.headers.get('content-length')).toBeNull()
        expect(through.headers.get('content-length')).toBe(String(bytes.length))
        expect(Buffer.from(await through.arrayBuffer()).equals(bytes)).toBe(true)
      } finally {
        await old.close()
      }
    })

    test('a header of the request sends nobody there', async () => {
      const headers = { 'X-Accel-Redirect': `/internal-files/${files[0]!.id}/a%20b.txt` }
      const response = await fetch(`${nginx.address}/status`, { headers })
      expect(await response.json()).toMatchObject({ tag: status.tag })
    })
  })
})
