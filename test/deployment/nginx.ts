import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { documented, type Places } from './documented.ts'

export interface Nginx {
  readonly address: string
  close(): Promise<void>
}

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

/** Starts nginx with a documented configuration on a free port, and waits until it forwards requests. */
export async function startNginx(configuration: string, places: Places): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-nginx-'))
  const port = await freePort()
  const here = { '127.0.0.1:8000': `127.0.0.1:${port}`, ...places }
  const path = join(folder, 'nginx.conf')
  await writeFile(
    path,
    `${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
    events { }
    http {
      access_log off;
      ${TEMPORARY.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
      ${await documented(configuration, here)}
    }`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', path, '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  })
  const close = async () => {
    if (child.exitCode === null && child.kill('SIGQUIT')) await once(child, 'exit')
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const address = `http://127.0.0.1:${port}`
    const ended = once(child, 'exit').then(() => {
      throw new Error('it has ended')
    })
    await Promise.race([eventually(() => fetch(`${address}/health/live`)), ended])
    ended.catch(() => {})
    return { address, close }
  } catch (error) {
    const log = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '')
    await close()
    throw new Error(`nginx does not answer: ${log}`, { cause: error })
  }
}
