/** Returns whether people can log in at an institution. The document says so (server/web/explorer.ts). */
export const hasLogin = (): boolean => document.querySelector('meta[name=casemill-login]') !== null
