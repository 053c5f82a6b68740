import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../../eventually.ts'

const CONFIGURATION = join(import.meta.dirname, '../../../../docs/nginx/casemill.conf')

export interface Nginx {
  readonly address: string
  close(): Promise<void>
}

/** Runs the documented configuration over a service and the files of its data folder. */
export async function startNginx(service: string, dataFolder: string): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-nginx-'))
  const port = await freePort()
  const places = {
    '127.0.0.1:8000': `127.0.0.1:${port}`,
    'http://127.0.0.1:8080': service,
    '/var/lib/casemill/': `${dataFolder}/`,
  }
  let server = await readFile(CONFIGURATION, 'utf8')
  for (const [documented, here] of Object.entries(places)) {
    if (!server.includes(documented)) throw new Error(`${documented} is not in the configuration`)
    server = server.replaceAll(documented, here)
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const path = join(folder, 'nginx.conf')
  await writeFile(
    path,
    `${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
    events { }
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
      ${server}
    }`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', path, '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  })
  const close = () => end(child, folder)
  try {
    const address = `http://127.0.0.1:${port}`
    await eventually(async () => {
      await fetch(`${address}/health/live`)
    })
    return { address, close }
  } catch (error) {
    const log = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '')
    await close()
    throw new Error(`nginx does not answer: ${log}`, { cause: error })
  }
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.kill('SIGQUIT')) await once(child, 'exit')
  await rm(folder, { recursive: true, force: true })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
