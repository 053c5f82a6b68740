import { type ServiceRequest, sentRequest } from './service.ts'

/** A request in the syntax of a tool, ready to paste. */
interface Sample {
  readonly tool: string
  readonly text: string
}

/** Returns a request for curl, R and Python. Secrets are replaced by names of variables. */
export function samplesOf(request: ServiceRequest, origin: string): readonly Sample[] {
  const secret = request.credential === 'key' ? '$CASEMILL_KEY' : '$CASEMILL_TOKEN'
  const { method, url, headers, body } = sentRequest(
    request,
    request.credential ? { token: secret, key: secret } : undefined,
  )
  const address = `${origin}${url}`
  const sent = Object.entries(headers).filter(([name]) => name !== 'Accept')
  return [
    { tool: 'curl', text: curlOf(address, sent, body) },
    { tool: 'R', text: rOf(method, address, sent, body) },
    { tool: 'Python', text: pythonOf(address, sent, body) },
  ]
}

type Sent = readonly (readonly [string, string])[]

/** Quotes a word for a shell: in single quotes nothing is expanded, in double quotes variables are. */
const shellWord = (text: string) =>
  text.includes('$CASEMILL') ? `"${text}"` : `'${text.replaceAll("'", String.raw`'\''`)}'`

function curlOf(address: string, headers: Sent, body: string | undefined): string {
  const words = [
    'curl -s',
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellWord(body)}`]),
    shellWord(address),
  ]
  return words.join(' ')
}

/** Quotes a text for R and Python. Both understand the escapes of JSON. */
const quoted = (text: string) => JSON.stringify(text)

function rOf(method: string, address: string, headers: Sent, body: string | undefined): string {
  const named = headers.map(([name, value]) => `\`${name}\` = ${rValue(value)}`)
  return [
    'library(httr2)',
    `answer <- request(${quoted(address)}) |>`,
    ...(named.length > 0 ? [`  req_headers(${named.join(', ')}) |>`] : []),
    ...(method === 'POST' ? [`  req_body_raw(${quoted(body ?? '')}) |>`] : []),
    '  req_perform() |>',
    '  resp_body_json(simplifyVector = TRUE)',
  ].join('\n')
}

const rValue = (value: string) =>
  value.startsWith('$') ? `Sys.getenv(${quoted(value.slice(1))})` : quoted(value)

function pythonOf(address: string, headers: Sent, body: string | undefined): string {
  const named = headers.map(([name, value]) => `${quoted(name)}: ${pythonValue(value)}`)
  const arguments_ = [
    quoted(address),
    ...(body === undefined ? [] : [`data=${quoted(body)}`]),
    ...(named.length > 0 ? [`headers={${named.join(', ')}}`] : []),
  ]
  const usesSecret = headers.some(([, value]) => value.startsWith('$'))
  return [
    `import ${usesSecret ? 'os, ' : ''}requests`,
    `answer = requests.${body === undefined ? 'get' : 'post'}(${arguments_.join(', ')}).json()`,
  ].join('\n')
}

const pythonValue = (value: string) =>
  value.startsWith('$') ? `os.environ[${quoted(value.slice(1))}]` : quoted(value)
