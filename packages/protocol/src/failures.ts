/**
 * The failure catalogue: every reason why a call, a registration or the check-up of a trunk can fail. Diagnostics, call details, events, the
 * command line, the dashboard and `/docs` take their words from here, so that one failure is described and fixed the same way everywhere.
 * A code never changes its meaning; new ones are added. It is one list, however long, so that a new failure is written beside those that it
 * must not repeat.
 */

/** Where the failure shows: an INVITE that we rejected, a call that we placed, a call that was connected, a registration, a check-up. */
export const failureAreas = ['inbound', 'outbound', 'connected', 'registration', 'checkup'] as const;
export type FailureArea = (typeof failureAreas)[number];

export interface Failure {
  area: FailureArea;
  /** What happened, as a sentence. */
  text: string;
  /** What to do next, as a sentence. */
  fix: string;
  /** The field of the trunk, line, tenant or account that decides about it; null: there is none. */
  field: string | null;
}

const failure = (area: FailureArea, text: string, fix: string, field: string | null = null): Failure => ({
  area,
  text,
  fix,
  field,
});

export const failures = {
  // An INVITE that we rejected.
  source_unknown: failure(
    'inbound',
    'No active trunk has this source address.',
    'Add the address to the source addresses of the trunk, or activate the trunk.',
    'inbound_source_cidrs',
  ),
  source_invalid: failure(
    'inbound',
    'The source address is invalid.',
    'Check the SIP server in front of the service, which reported the address.',
  ),
  source_not_of_trunk: failure(
    'inbound',
    'The call named the ingress host of the trunk, but its source address does not belong to the trunk.',
    'Add the address to the source addresses of the trunk if it is an address of the carrier.',
    'inbound_source_cidrs',
  ),
  ingress_host_unknown: failure(
    'inbound',
    'No trunk has this ingress host.',
    'Give the carrier the ingress host that the trunk shows.',
    'ingress_host',
  ),
  ingress_host_required: failure(
    'inbound',
    "The trunk shares source addresses with another owner's trunk.",
    'Let the carrier send calls to the ingress host of the trunk.',
    'ingress_host',
  ),
  trunk_not_active: failure(
    'inbound',
    'The trunk is not active.',
    'Submit the trunk, wait for its approval, or activate it again.',
    'status',
  ),
  number_ambiguous: failure(
    'inbound',
    'Lines of several tenants have this number on trunks with this source address.',
    'Let the carrier send calls to the ingress host of each trunk.',
    'ingress_host',
  ),
  number_without_line: failure(
    'inbound',
    'No line has this number on the trunk.',
    'Create a line with this number on the trunk, or correct the number rules of the trunk.',
    'address',
  ),
  called_number_invalid: failure(
    'inbound',
    'The called number cannot be read.',
    'Set the country code and national prefix in which the carrier writes numbers, or the tech prefix.',
    'country_code',
  ),
  tech_prefix_without_number: failure(
    'inbound',
    'The tech prefix is not followed by a number.',
    'Let the carrier send the number after the tech prefix.',
    'tech_prefixes.inbound',
  ),
  tech_prefix_without_rule: failure(
    'inbound',
    'No forwarding rule or call filter handles calls with this tech prefix.',
    'Ask the operator for a rule, or change the purpose of the prefix to PROCESS.',
    'tech_prefixes.inbound',
  ),
  call_filter: failure(
    'inbound',
    'A call filter set by the operator rejected the call.',
    'Ask the operator to change the filter if the call should be accepted.',
    'tech_prefixes.inbound',
  ),
  forwarding_trunk_not_active: failure(
    'inbound',
    'The trunk that the call would be forwarded to is not active.',
    'Ask the operator to activate the trunk of the forwarding rule.',
    'tech_prefixes.inbound',
  ),
  too_many_hops: failure(
    'inbound',
    'The call was forwarded too many times.',
    'Look for two forwarding rules, here or at the carrier, that send calls to each other.',
    'tech_prefixes.inbound',
  ),
  account_suspended: failure(
    'inbound',
    'The account is suspended.',
    'Contact the operator of the service.',
    'status',
  ),
  concurrent_call_limit: failure(
    'inbound',
    'The concurrent call limit of the account was reached.',
    'Ask the operator for a higher limit.',
  ),
  trunk_call_limit: failure(
    'inbound',
    'The concurrent call limit of the trunk was reached.',
    'Raise the concurrent call limit of the trunk if the carrier allows more.',
    'max_calls',
  ),
  no_credit: failure(
    'inbound',
    'A billing account could not pay for the call.',
    "Top up the tenant's account or raise its credit limit. Only the operator can do so for your own account.",
  ),
  overloaded: failure(
    'inbound',
    'The service was overloaded and rejected new calls.',
    'The carrier may try again. If it happens often, the operator must add capacity.',
  ),
  no_decision: failure(
    'inbound',
    'The service did not decide on the call in time.',
    'The carrier may try again. If it happens often, ask the operator.',
  ),
  caller_cancelled: failure(
    'inbound',
    'The caller hung up before the service had decided on the call.',
    'Nothing needs to be changed.',
  ),
  invite_malformed: failure(
    'inbound',
    'The INVITE or its session description (SDP) cannot be read.',
    'Send the SIP ladder of the call to the carrier.',
  ),
  no_common_codec: failure(
    'inbound',
    'The session description (SDP) offers no codec of the trunk.',
    'Let the carrier offer PCMA or PCMU (G.711), or add the codec to the trunk.',
    'codecs',
  ),
  srtp_without_tls: failure(
    'inbound',
    'The call offers encrypted audio over a connection that is not encrypted, so its keys could be read.',
    'Let the carrier send calls over TLS, or offer audio without encryption.',
    'transport',
  ),
  srtp_required: failure(
    'inbound',
    'The trunk requires encrypted audio, which the call does not offer.',
    'Switch on SRTP at the carrier, or set srtp of the trunk to false.',
    'srtp',
  ),
  srtp_unsupported: failure(
    'inbound',
    'The call offers encrypted audio without a key that the service can use.',
    'Let the carrier exchange SRTP keys by SDES (a=crypto) with AES_CM_128_HMAC_SHA1_80; DTLS-SRTP is not supported.',
    'srtp',
  ),
  address_family: failure(
    'inbound',
    'The session description (SDP) has an IPv6 address, but media uses IPv4.',
    'Let the carrier send IPv4 addresses.',
  ),
  line_disabled: failure('inbound', 'The line is disabled.', 'Activate the line.', 'status'),
  line_without_route: failure(
    'inbound',
    'The line has no queue, owner or flow.',
    'Give the line a queue, an owner or an active IVR flow.',
    'inbound_queue_ref',
  ),
  owner_busy: failure(
    'inbound',
    'The owner of the line is on another call.',
    'Nothing needs to be changed. A queue would let callers wait.',
  ),
  owner_unavailable: failure(
    'inbound',
    'The owner of the line has no device that can ring or has turned on do not disturb.',
    "Open the agent's app, and turn off do not disturb.",
  ),

  // A call that we placed.
  busy: failure('outbound', 'The called number is busy.', 'Call again later.'),
  declined: failure('outbound', 'The call was rejected.', 'The called person or their network declined it.'),
  no_answer: failure('outbound', 'The called number did not answer.', 'Call again later.'),
  number_not_found: failure(
    'outbound',
    'The number does not exist or cannot be dialled.',
    'Check the number, and the form in which the carrier wants numbers (called number with +, national form, tech prefix).',
    'quirks.called_plus',
  ),
  credentials_rejected: failure(
    'outbound',
    'The carrier rejected the credentials of the trunk.',
    'Check the username and password, or let the carrier allow our address.',
    'username',
  ),
  carrier_forbids: failure(
    'outbound',
    'The carrier rejected the credentials, caller ID or credit of the trunk.',
    'Ask the carrier to allow the number of the line as caller ID, and check your credit with it.',
    'quirks',
  ),
  caller_id_rejected: failure(
    'outbound',
    'The carrier rejected the caller ID.',
    'Ask the carrier to allow the number of the line as caller ID, and check the form in which it is sent.',
    'quirks.caller_id_plus',
  ),
  codecs_rejected: failure(
    'outbound',
    'The carrier does not support any of the offered codecs.',
    'Add PCMA or PCMU (G.711), or the codec of the carrier, to the trunk; check whether it requires SRTP.',
    'codecs',
  ),
  carrier_error: failure(
    'outbound',
    'The carrier could not place the call.',
    'Try again. If it happens often, send the SIP ladder of the call to the carrier.',
  ),
  carrier_no_response: failure(
    'outbound',
    'The carrier did not respond.',
    'Check host, port and transport of the trunk, and that the carrier allows our address.',
    'host',
  ),
  carrier_unreachable: failure(
    'outbound',
    'The connection to the carrier failed.',
    'Check host, port and transport of the trunk, and that a firewall allows the connection.',
    'host',
  ),
  host_not_found: failure(
    'outbound',
    'The host name of the trunk has no address.',
    'Check the host of the trunk.',
    'host',
  ),
  host_private: failure(
    'outbound',
    'The host name of the trunk resolves to an address that is not public.',
    'Use a host of the carrier that is reachable on the internet.',
    'host',
  ),
  tls_certificate: failure(
    'outbound',
    "The carrier's certificate is not valid for the host of the trunk.",
    'Use the host name for which the certificate was issued, or ask the carrier to renew it.',
    'host',
  ),
  redirect_not_followed: failure(
    'outbound',
    'The carrier redirected the call to an address that the service does not follow.',
    'Ask the carrier to place the call itself, or to redirect to one of its public addresses.',
  ),
  trunk_not_dialled: failure(
    'outbound',
    'The trunk of the line is not active, so the call was not placed.',
    'Activate the trunk.',
    'status',
  ),
  trunk_rate_limit: failure(
    'outbound',
    'The trunk has reached its calls per second, and the call waited too long.',
    'Place calls more slowly, or raise the calls per second of the trunk if the carrier allows more.',
    'calls_per_second',
  ),
  answer_unusable: failure(
    'outbound',
    "The carrier's answer cannot be used: its SDP is invalid, or it has no Contact.",
    'Send the SIP ladder of the call to the carrier.',
  ),
  carrier_cancelled: failure(
    'outbound',
    'The carrier ended the call before it was answered.',
    'Try again. If it happens often, send the SIP ladder of the call to the carrier.',
  ),
  whatsapp_refused: failure(
    'outbound',
    'WhatsApp could not place or connect the call.',
    'The message and the provider code say what to do.',
  ),

  // A call that was connected.
  no_audio: failure(
    'connected',
    'No audio was received for 30 seconds.',
    'Let the firewall allow RTP from the carrier to the RTP ports, and check the announced public address.',
  ),
  agent_no_audio: failure(
    'connected',
    'No audio was received from the agent for 30 seconds.',
    "Check the agent's network and microphone.",
  ),
  agent_audio_failed: failure(
    'connected',
    "Failed to connect the agent's audio.",
    "Let the agent's network allow the media ports of the service, or set up a TURN server.",
  ),
  carrier_lost: failure(
    'connected',
    'The connection to the carrier was lost.',
    'Check the network between the service and the carrier.',
  ),
  answer_not_acknowledged: failure(
    'connected',
    'The carrier did not acknowledge the answer.',
    'Let the carrier send ACK to the contact of our 200 OK; check the announced public address.',
  ),
  agent_disconnected: failure(
    'connected',
    "The agent's app was disconnected for too long.",
    "Check the agent's network.",
  ),
  maximum_duration: failure(
    'connected',
    'The call reached the maximum duration of the platform.',
    'Ask the operator for a higher maximum.',
  ),
  service_error: failure(
    'connected',
    'The service failed while it handled the call.',
    'Send the call ID to the operator.',
  ),

  // A registration.
  registration_rejected: failure(
    'registration',
    'The carrier rejected the registration.',
    'Check the username and password.',
    'username',
  ),
  registration_not_found: failure(
    'registration',
    'The carrier does not know the account that registers.',
    'Check the username and the host.',
    'username',
  ),
  registration_no_response: failure(
    'registration',
    'The carrier did not respond to the registration.',
    'Check host, port and transport of the trunk.',
    'host',
  ),
  registration_error: failure(
    'registration',
    'The carrier could not register the trunk.',
    'The service tries again. If it continues, ask the carrier.',
  ),

  // A check-up.
  source_not_listed: failure(
    'checkup',
    'The trunk calls an address that is not among its source addresses.',
    'Add the address if the carrier also sends calls from it.',
    'inbound_source_cidrs',
  ),
  no_sources: failure(
    'checkup',
    'The trunk has no source addresses, so it receives no calls.',
    'List every signalling address from which the carrier sends calls.',
    'inbound_source_cidrs',
  ),
  tcp_failed: failure(
    'checkup',
    'The connection to the carrier failed.',
    'Check host, port and transport, and that a firewall allows outgoing connections to this port.',
    'port',
  ),
  certificate_untrusted: failure(
    'checkup',
    "The carrier's certificate is not trusted.",
    'Ask the carrier for a certificate of a public authority, or let the operator add its authority.',
    'host',
  ),
  certificate_name: failure(
    'checkup',
    "The carrier's certificate was issued for another host name.",
    'Use the host name for which it was issued.',
    'host',
  ),
  certificate_expired: failure(
    'checkup',
    "The carrier's certificate has expired.",
    'Ask the carrier to renew it.',
  ),
  certificate_expires: failure(
    'checkup',
    "The carrier's certificate expires soon.",
    'Ask the carrier to renew it before it expires.',
  ),
  options_no_response: failure(
    'checkup',
    'The carrier did not respond to OPTIONS.',
    'Check host, port and transport, and that the carrier allows our address.',
    'host',
  ),
  options_error: failure(
    'checkup',
    'The carrier responded to OPTIONS with a server error.',
    'Ask the carrier whether its service is available.',
  ),
  digest_required: failure(
    'checkup',
    'The carrier asks for a username and password, and the trunk has none.',
    'Enter the username and password of the carrier.',
    'username',
  ),
  digest_rejected: failure(
    'checkup',
    'The carrier rejected the username and password.',
    'Check the username and password.',
    'password',
  ),
  address_translated: failure(
    'checkup',
    'The carrier sees another address than the one that the service announces.',
    'Let the operator announce the address that the carrier sees as the public address, or let the carrier allow that address.',
  ),
  no_shared_codec: failure(
    'checkup',
    'The carrier lists no codec of the trunk.',
    'Add a codec of the carrier to the trunk.',
    'codecs',
  ),
} as const satisfies Record<string, Failure>;

export type FailureCode = keyof typeof failures;
export const failureCodes = Object.keys(failures) as [FailureCode, ...FailureCode[]];

/** The page and section of the documentation about a failure. */
export const failureDocs = (code: FailureCode): string => `/docs/failures#${code.replaceAll('_', '-')}`;
