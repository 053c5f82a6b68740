import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNginx } from '../../deployment/nginx.ts'

/**
 * A page that uses cookies, forms and windows like the public portal's pages. The portal sets the cookie of a
 * download without a path, posts to a hidden frame, and waits until the cookie is gone. At its start it removes
 * the cookie of its cohorts and sets it again for another host.
 */
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A portal</title><body><script>
const API = '/auth/api/v0'
async function ask(path, body, method = body === undefined ? 'GET' : 'POST') {
  const sent = body !== undefined && {
    headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  }
  const response = await fetch(path, { method, credentials: 'include', ...sent })
  const text = await response.text()
  return { status: response.status, text, body: /^[{[]/.test(text) ? JSON.parse(text) : undefined }
}
function download(path, fields) {
  const key = Math.random().toString(16).slice(2)
  document.cookie = key + '=token'
  const frame = document.createElement('iframe')
  Object.assign(frame, { name: key, hidden: true })
  const form = document.createElement('form')
  Object.assign(form, { method: 'post', action: API + path, target: key })
  const own = [['attachment', 'true'], ['downloadCookieKey', key], ['downloadCookiePath', '/']]
  for (const [name, value] of [...fields, ...own]) {
    const input = document.createElement('input')
    Object.assign(input, { type: 'hidden', name, value })
    form.append(input)
  }
  document.body.append(frame, form)
  form.submit()
  return key
}
const isAwaited = (key) => document.cookie.includes(key + '=')
const said = (key) => frames[key].document.body?.textContent ?? ''
function forgetContext() {
  document.cookie = 'gdc_context_id=; expires=Thu, 01 Jan 1970 00:00:00 GMT; path=/'
  document.cookie = 'gdc_context_id=other; domain=.portal.example; path=/'
}
forgetContext()
</script></body></html>`

interface Portal extends AsyncDisposable {
  readonly address: string
}

/** Serves the page and casemill as one site, with the documented configuration. */
export async function startPortal(casemill: string): Promise<Portal> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-portal-'))
  await writeFile(join(folder, 'index.html'), PAGE)
  const nginx = await startNginx('nginx/portal.conf', {
    '/var/www/portal': folder,
    '127.0.0.1:8080': new URL(casemill).host,
  })
  return {
    address: nginx.address,
    async [Symbol.asyncDispose]() {
      await nginx.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
