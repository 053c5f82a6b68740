import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { available } from '../../available.ts'
import { bareEnvironment } from '../../bare-environment.ts'

// Imports from public addresses: a private network has them on its loopback, with names for them. Nothing leaves
// the machine or reaches other programs on it.

const PROGRAM = join(import.meta.dirname, '../../../bin/casemill.ts')
const SERVER = join(import.meta.dirname, 'support/ranged-server.ts')

const NAMES = {
  'four.example.org': '193.0.6.139',
  'six.example.org': '2001:67c:2e8:22::c100:68b',
  'private.example.org': '10.1.2.3',
  'translated.example.org': '::ffff:0:a01:203',
  'both.example.org': '193.0.6.139',
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-public-'))
  await makeBam({ path: join(folder, 'a.bam'), seed: 12, style: 'htslib', scale: 1e5 })
  const lines = Object.entries(NAMES).map(([name, address]) => `${address} ${name}`)
  await writeFile(join(folder, 'hosts'), [...lines, '10.1.2.3 both.example.org', ''].join('\n'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The output of an import from a listed host, and the number of requests that its server received. */
async function imported(name: string): Promise<{ readonly said: string; readonly asked: number }> {
  const addresses = Object.values(NAMES).map(
    (address) => `ip addr replace ${address}/${address.includes(':') ? 128 : 32} dev lo nodad`,
  )
  const script = [
    'set -e',
    'ip link set lo up',
    `mount --bind ${folder}/hosts /etc/hosts`,
    ...addresses,
    `"$NODE" ${SERVER} ${folder} 8080 >${folder}/asked 2>&1 & server=$!`,
    `until grep -q listening ${folder}/asked; do kill -0 $server; sleep 0.05; done`,
    `"$NODE" ${PROGRAM} import bam http://${name}:8080/a.bam --access open --data ${folder}/data-${name} 2>&1 || true`,
    'kill $server',
    `echo "asked $(grep -c GET ${folder}/asked)"`,
  ].join('\n')
  const env = {
    ...bareEnvironment(),
    NODE: process.execPath,
    CASEMILL_REMOTE_HOSTS: `http://${name}:8080`,
  }
  const { stdout } = await promisify(execFile)('unshare', ['-rnm', 'sh', '-c', script], { env })
  const [said = '', asked] = stdout.split(/asked (\d+)\n$/)
  return { said, asked: Number(asked) }
}

test.skipIf(!available.ownNetwork).each(['four.example.org', 'six.example.org'] as const)(
  'a file is imported from %s, which has a public address and is listed by its name alone',
  async (name) => {
    const { said, asked } = await imported(name)
    expect(said).toMatch(/[0-9a-f]{8}-[0-9a-f-]{27}/)
    expect(asked).toBeGreaterThan(1)
  },
)

test.skipIf(!available.ownNetwork).each([
  'private.example.org',
  'translated.example.org',
  // One of this name's two addresses is private.
  'both.example.org',
])('nothing is asked of %s, which has an address that is not public', async (name) => {
  const { said, asked } = await imported(name)
  expect(said).toMatch(/is at the private address .*add .* to CASEMILL_REMOTE_HOSTS/)
  expect(asked).toBe(0)
})
