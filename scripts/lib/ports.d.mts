export function freePort(host?: string): Promise<number>;
export function isPortFree(port: number, host?: string): Promise<boolean>;
export function isUdpPortFree(port: number, host?: string): Promise<boolean>;
