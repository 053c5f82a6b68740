import { EngineError, type ErrorCode } from '../errors.ts'

/** Error code for a system error, and the message with advice. */
type Meaning = readonly [code: ErrorCode, describe: (what: string) => string]

const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOENT: ['not_found', (what) => `there is no ${what}; give the path of one that is there`],
  ENOTDIR: [
    'not_found',
    (what) => `there is no ${what}, since a part of that path is a file; correct the path`,
  ],
  EACCES: [
    'unavailable',
    (what) => `this user may not use the ${what}; change its rights or its owner`,
  ],
  EPERM: [
    'unavailable',
    (what) => `this user may not use the ${what}; change its rights or its owner`,
  ],
  EROFS: [
    'unavailable',
    (what) => `the ${what} is on a disk that can only be read; give a path on another one`,
  ],
  EISDIR: ['bad_input', (what) => `the ${what} is a folder; give the path of a file`],
  EEXIST: ['already_exists', (what) => `the ${what} is there already; give another path`],
  ENOTEMPTY: ['conflict', (what) => `the ${what} is not empty; empty it, or give another path`],
  ENOSPC: ['unavailable', (what) => `the disk of the ${what} is full; make room and try again`],
  EDQUOT: [
    'unavailable',
    (what) => `this user's share of the disk of the ${what} is full; make room and try again`,
  ],
  EFBIG: ['too_large', (what) => `the ${what} is larger than its disk allows; give another disk`],
  EIO: [
    'unavailable',
    (what) => `the disk failed at the ${what}; look at the disk, then try again`,
  ],
  EBUSY: ['unavailable', (what) => `the ${what} is in use; try again later`],
  ELOOP: ['bad_input', (what) => `the ${what} is a link that leads to itself; correct the link`],
  ENAMETOOLONG: ['bad_input', () => 'the path or a name in it is too long; give a shorter one'],
  EMFILE: ['unavailable', () => 'too many files are open; raise the limit, as by "ulimit -n 4096"'],
  ENFILE: ['unavailable', () => 'too many files are open on this machine; try again later'],
  ENOMEM: ['unavailable', () => 'the memory of this machine is used up; end other programs'],
}

/**
 * Converts a system error about a file or folder to an EngineError that has its path and advice. Returns any
 * other error unchanged. The caller throws the result.
 * @param path path if the error itself has none
 */
export function explainSystemError(cause: unknown, path?: string): unknown {
  if (!isSystemError(cause)) return cause
  const { code, syscall } = cause
  const at = cause.path ?? path
  const what = `file or folder ${at === undefined ? 'that was named' : JSON.stringify(at)}`
  if (syscall === 'mkdir' && (code === 'EACCES' || code === 'EPERM')) {
    const message = `this user may not make the ${what}; give another one, or change the rights of the folder around it`
    return new EngineError('unavailable', message, { cause })
  }
  const [ours, describe] = MEANINGS[code] ?? [
    'unavailable',
    (what) => `the system does not ${syscall} the ${what} (${code}); try another path`,
  ]
  return new EngineError(ours, describe(what), { cause })
}

interface SystemError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: string
}

/** Returns whether an error comes from a system call. */
export function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error
}
