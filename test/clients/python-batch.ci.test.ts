import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { available } from '../available.ts'
import { listenFor } from '../commons/contract/support/listen.ts'
import { PYTHON } from '../peers/run-peer.ts'
import { BREAST, HODGKIN, LATER_HODGKIN, LUNG } from '../registry/support/made-tumours.ts'
import { successOf } from '../registry/support/registry-answers.ts'
import { openRegistry } from '../registry/support/registry-world.ts'

// A client such as urllib, which the requests library uses as well, sends a whole batch before it reads the answer.

const PAIRS = 45_000
const KINDS = [
  { input1: BREAST, input2: LUNG },
  { input1: HODGKIN, input2: LATER_HODGKIN },
]

const POSTING = `
import sys, urllib.request
url, key, path = sys.argv[1:]
with open(path, 'rb') as lines:
    request = urllib.request.Request(url, lines.read(), {
        'X-SEERAPI-Key': key, 'Content-Type': 'application/x-ndjson'})
with urllib.request.urlopen(request, timeout=100) as answer:
    sys.stdout.buffer.write(answer.read())
`

test.skipIf(!available.python)(
  `${PAIRS} pairs that are sent before an answer is read are all answered`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'casemill-python-'))
    const world = await openRegistry({ logLevel: 'error' })
    const server = await listenFor(world.engine)
    onTestFinished(async () => {
      await server.close()
      await world[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    })
    const path = join(folder, 'pairs.ndjson')
    const pairs = Array.from({ length: PAIRS }, (_, i) => KINDS[i % KINDS.length])
    await writeFile(path, pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(''))
    const args = ['-c', POSTING, `${server.address}/rest/mph/batch`, world.secrets.reader, path]
    const { stdout } = await promisify(execFile)(PYTHON, args, { maxBuffer: 1 << 30 })
    const alone = await Promise.all(
      KINDS.map(async (body) => successOf(await world.ask('POST /rest/mph', { body }), 200)),
    )
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(PAIRS)
    const others = lines.filter((line, i) => line !== JSON.stringify(alone[i % KINDS.length]))
    expect(others).toEqual([])
  },
)

const REFUSED = `
import sys, urllib.request, urllib.error
url, key, length = sys.argv[1:]
request = urllib.request.Request(url, b' ' * int(length), {
    'X-SEERAPI-Key': key, 'Content-Type': 'application/json'})
try:
    urllib.request.urlopen(request, timeout=100)
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
`

test.skipIf(!available.python)(
  'a body beyond the limit is refused in words that a client reads',
  async () => {
    const world = await openRegistry({ logLevel: 'error' })
    const server = await listenFor(world.engine)
    onTestFinished(async () => {
      await server.close()
      await world[Symbol.asyncDispose]()
    })
    const args = ['-c', REFUSED, `${server.address}/rest/mph`, world.secrets.reader, `${64 << 20}`]
    const { stdout } = await promisify(execFile)(PYTHON, args)
    expect(stdout).toMatch(/^413 .*larger than the limit of \d+ bytes/)
  },
)
