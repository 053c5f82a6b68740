import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import pkg from '../package.json' with { type: 'json' }
import { available } from './available.ts'
import { buildImage, type Image, inContainer } from './container/image.ts'
import { freePort } from './free-port.ts'

// The package as it is in a container.

const ROOT = join(import.meta.dirname, '..')

let place = ''
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'casemill-image-'))
})
afterAll(() => rm(place, { recursive: true, force: true }))

const run = (file: string, words: readonly string[], cwd: string) =>
  promisify(execFile)(file, words, { cwd })

describe.runIf(available.buildah)('the image that the Containerfile makes', () => {
  const volume = () => join(place, 'volume')
  let image: Image
  let port = 0

  beforeAll(async () => {
    await run('npm', ['pack', '--pack-destination', place], ROOT)
    const [name = 'none'] = (await readdir(place)).filter((name) => name.endsWith('.tgz'))
    image = await buildImage(join(place, 'container'), join(place, name))
    await mkdir(volume())
    await run('chown', ['1000:1000', volume()], place)
    port = await freePort()
  }, 600_000)

  const contained = (...program: readonly string[]): [string, string[]] => {
    const [first = '', ...words] = inContainer(image, volume(), [
      `CASEMILL_PORT=${port}`,
      ...program,
    ])
    return [first, words]
  }

  test('runs without root, writes to its volume alone, and is found healthy', async () => {
    const { Entrypoint, Cmd, Healthcheck, StopSignal, User } = image.config
    expect([User, StopSignal]).toEqual(['1000:1000', 'SIGTERM'])
    const isHealthy = () => run(...contained(...Healthcheck.Test.slice(1)), place)
    await expect(isHealthy()).rejects.toMatchObject({ code: 1 })

    const [program, words] = contained(...Entrypoint, ...Cmd)
    const service = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(service, 'exit')
    const [said] = await once(createInterface({ input: service.stdout }), 'line')
    expect(said).toContain(`:${port}`)
    const status = await readFile(`/proc/${service.pid}/status`, 'utf8')
    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m)
    await isHealthy()
    expect((await stat(join(volume(), 'state.sqlite'))).uid).toBe(1000)
    service.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  test('has a root that nobody writes to', async () => {
    const written = run(...contained('mkdir', '/opt/casemill/new'), place)
    await expect(written).rejects.toMatchObject({ stderr: expect.stringContaining('Read-only') })
  })

  test('runs commands', async () => {
    const { Entrypoint } = image.config
    const { stdout } = await run(...contained(...Entrypoint, '--version'), place)
    expect(stdout).toBe(`${pkg.version}\n`)
  })
})
