/** The settings of the gateway as a process of its own. */
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import type { SipGatewayOptions } from './options.ts';
import { CONTROL_PORT } from './options.ts';
import type { LogLevel } from './log.ts';
import { LOG_LEVELS } from './log.ts';
import { tlsMaterial } from './tls-material.ts';
import { SIP_PORT, SIPS_PORT } from './transport/locate.ts';

export interface GatewayEnv {
  readonly options: SipGatewayOptions;
  readonly logLevel: LogLevel;
}

/** Reads and validates the environment; throws an Error that names the variable. */
export function readEnv(env: Record<string, string | undefined> = process.env): GatewayEnv {
  const secret = env['CLARION_SIP_SECRET'] ?? '';
  if (secret === '') throw new Error('CLARION_SIP_SECRET must be set');
  const publicIp = env['CLARION_PUBLIC_IP'] ?? '';
  const bind = env['CLARION_BIND'] ?? '0.0.0.0';
  const dataDir = env['CLARION_DATA_DIR'] ?? '';
  const material = tlsMaterial({
    certFile: env['CLARION_SIP_TLS_CERT'] ?? '',
    keyFile: env['CLARION_SIP_TLS_KEY'] ?? '',
    caFile: env['CLARION_SIP_TLS_CA'] ?? '',
    // The launcher has selected trial mode.
    selfSignedIn: env['CLARION_PRODUCTION'] === '0' && dataDir !== '' ? join(dataDir, 'sip-tls') : '',
    hosts: ['localhost', ...new Set(['127.0.0.1', bind, publicIp].filter((host) => isIPv4(host)))],
  });
  const tlsPort = port(env, 'CLARION_SIP_TLS_PORT', SIPS_PORT);
  return {
    options: {
      secret,
      bind,
      sipPort: port(env, 'CLARION_SIP_PORT', SIP_PORT),
      // Anyone who can reach it and knows the secret can make calls: for the internal network only.
      controlHost: env['CLARION_INTERNAL_BIND'] || '127.0.0.1',
      controlPort: port(env, 'CLARION_SIP_CONTROL_PORT', CONTROL_PORT),
      ...(publicIp === '' ? {} : { publicIp }),
      ...(material === null ? {} : { tls: { ...material, port: tlsPort } }),
    },
    logLevel: logLevel(env['CLARION_LOG_LEVEL']),
  };
}

function port(env: Record<string, string | undefined>, name: string, fallback: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new Error(`${name} must be a port, not ${text}`);
  return value;
}

function logLevel(text: string | undefined): LogLevel {
  return LOG_LEVELS.find((level) => level === text) ?? 'info';
}
