import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChildServer, startNode, stop } from '../../child-server.ts'
import { hasTool } from '../../tools.ts'
import { fetchAll } from '../curl.ts'
import { THREADS } from './ours.ts'

/** The service as it is started by anyone, its log going nowhere. */
export function startCasemill(folder: string): Promise<ChildServer> {
  const words = ['bin/casemill.ts', '--data', folder, 'serve', '--port', '0']
  return startNode([...words, '--threads', String(THREADS)])
}

/** nginx with sendfile: what the system can do at most. Undefined when it is not installed. */
export async function startNginx(
  folder: string,
  scratch: string,
): Promise<ChildServer | undefined> {
  if (!hasTool('nginx', '-v')) return undefined
  const port = await freePort()
  const path = join(scratch, 'nginx.conf')
  await writeFile(path, nginxConfig(folder, scratch, port))
  const words = ['-p', scratch, '-c', path, '-e', join(scratch, 'nginx.error.log')]
  const child = spawn('nginx', words, { stdio: 'ignore' })
  const address = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 50; attempt++) {
    await sleep(100)
    try {
      await fetchAll([`${address}/ready`])
      return { address, stop: () => stop(child) }
    } catch {
      // Not listening yet.
    }
  }
  await stop(child)
  return undefined
}

function nginxConfig(folder: string, scratch: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${scratch}/nginx.pid;
events {}
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  ${temporary.map((kind) => `${kind}_temp_path ${scratch}/nginx_${kind};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    root ${folder};
    location = /ready { return 200 'yes'; }
  }
}
`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
