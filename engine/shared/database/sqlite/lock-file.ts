/**
 * Takes a file lock for as long as the connection is open. The journal is in memory, because a full disk has
 * no space for a journal file.
 */
export const LOCK_THE_FILE = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'
