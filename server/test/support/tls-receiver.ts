import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';

/** Certificates that receivers show. All are for hooks.example.com unless their name says otherwise, and valid until 2120. */
export type Certificate = 'good' | 'expired' | 'of another host' | 'signed by itself' | 'of localhost';

/** A receiver on loopback that uses TLS, for one test. */
export interface TlsReceiver {
  url: string;
  /** Requests that were sent nevertheless. */
  readonly requests: number;
}

/**
 * Starts a receiver that responds 200 to each client that accepts its certificate. The test trusts the authority of all but the last kind.
 */
export async function tlsReceiverForTest(certificate: Certificate): Promise<TlsReceiver> {
  trustAuthority();
  let requests = 0;
  const server = createHttpsServer({ cert: certificates[certificate], key }, (request, response) => {
    requests++;
    request.resume().on('end', () => response.writeHead(200).end());
  });
  // A sender that rejects the certificate closes the connection.
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `https://hooks.example.com:${(server.address() as AddressInfo).port}/hook`,
    get requests() {
      return requests;
    },
  };
}

/** Returns a certificate for a server of another kind. The test trusts it as it trusts those of receivers. */
export function certificateForTest(certificate: Certificate): { cert: string; key: string } {
  trustAuthority();
  return { cert: certificates[certificate], key };
}

function trustAuthority(): void {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, authority, certificates['of localhost']]);
  onTestFinished(() => tls.setDefaultCACertificates(before));
}

/** Its key was thrown away, and only tests trust it. */
const authority = `-----BEGIN CERTIFICATE-----
MIIBczCCARmgAwIBAgIBATAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBVUZW51cmUg
dGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBa
MCAxHjAcBgNVBAMMFVRlbnVyZSB0ZXN0IGF1dGhvcml0eTBZMBMGByqGSM49AgEG
CCqGSM49AwEHA0IABI4KJkbSbvZiZV4vfPB1RKuppzi4QBXQ4b1eaeLYzP9sDPgS
OLau5UH9JcrVrEp4Rqmbd9E4VRopUiJG7pUibdejQjBAMA8GA1UdEwEB/wQFMAMB
Af8wDgYDVR0PAQH/BAQDAgIEMB0GA1UdDgQWBBRwKknAVz7h+n2v2TJpyRso5srn
bjAKBggqhkjOPQQDAgNIADBFAiAOkbP5TeIuqjPpwTPlEkjs3jWgP2I0sDbGgRec
GzkQ5QIhANibsd4bHVHUJ2iJdwIoHdIZ/1mSDPOj/IN9nFvYBYWb
-----END CERTIFICATE-----
`;

const certificates: Record<Certificate, string> = {
  good: `-----BEGIN CERTIFICATE-----
MIIBjDCCATOgAwIBAgIBAjAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBVUZW51cmUg
dGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBa
MBwxGjAYBgNVBAMMEWhvb2tzLmV4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAEqH38Y4QHfz1gH61iYjkkCzcZzawMr+ThbgcEx5drbBbwKWYkp/PF
RFqBS6RroCuIvrG1ce9al/dzTwWawo3ys6NgMF4wHAYDVR0RBBUwE4IRaG9va3Mu
ZXhhbXBsZS5jb20wHQYDVR0OBBYEFBySwaOD9Cd72PKe2XwQWcQQBnazMB8GA1Ud
IwQYMBaAFHAqScBXPuH6fa/ZMmnJGyjmyuduMAoGCCqGSM49BAMCA0cAMEQCIBID
OeDbsbW/YN0Db11nOufyIzawOyT68vLnD6OWG6MPAiAdv1O+ruNHUCOgLigFJzgP
0NQa9XRMK4IVXro/JHt7tA==
-----END CERTIFICATE-----
`,
  expired: `-----BEGIN CERTIFICATE-----
MIIBizCCATGgAwIBAgIBAzAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBVUZW51cmUg
dGVzdCBhdXRob3JpdHkwHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjAc
MRowGAYDVQQDDBFob29rcy5leGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABKh9/GOEB389YB+tYmI5JAs3Gc2sDK/k4W4HBMeXa2wW8ClmJKfzxURa
gUuka6AriL6xtXHvWpf3c08FmsKN8rOjYDBeMBwGA1UdEQQVMBOCEWhvb2tzLmV4
YW1wbGUuY29tMB0GA1UdDgQWBBQcksGjg/Qne9jyntl8EFnEEAZ2szAfBgNVHSME
GDAWgBRwKknAVz7h+n2v2TJpyRso5srnbjAKBggqhkjOPQQDAgNIADBFAiEAlZAh
bgepr31YW5PqSv887pRsa5gIaBzQgLdT4DUD/McCIHEIL5Bfv13pBwOKwwxofZZt
UALKjSgBYM2ggAbqXsDe
-----END CERTIFICATE-----
`,
  'of another host': `-----BEGIN CERTIFICATE-----
MIIBjTCCATOgAwIBAgIBBDAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBVUZW51cmUg
dGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBa
MBwxGjAYBgNVBAMMEW90aGVyLmV4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAEqH38Y4QHfz1gH61iYjkkCzcZzawMr+ThbgcEx5drbBbwKWYkp/PF
RFqBS6RroCuIvrG1ce9al/dzTwWawo3ys6NgMF4wHAYDVR0RBBUwE4IRb3RoZXIu
ZXhhbXBsZS5jb20wHQYDVR0OBBYEFBySwaOD9Cd72PKe2XwQWcQQBnazMB8GA1Ud
IwQYMBaAFHAqScBXPuH6fa/ZMmnJGyjmyuduMAoGCCqGSM49BAMCA0gAMEUCIQCJ
pVDILgS12UUm2qNTLc8vKcAQuTxsF5MB+ltsOCa+ewIgOBGS/k6E6nmoSIlAz0qb
pRQLjJuJYT9FFA5YBITBnic=
-----END CERTIFICATE-----
`,
  'signed by itself': `-----BEGIN CERTIFICATE-----
MIIBaDCCAQ6gAwIBAgIBBTAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFob29rcy5l
eGFtcGxlLmNvbTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAASoffxjhAd/PWAfrWJiOSQLNxnNrAyv5OFuBwTHl2tsFvApZiSn88VEWoFL
pGugK4i+sbVx71qX93NPBZrCjfKzoz8wPTAcBgNVHREEFTATghFob29rcy5leGFt
cGxlLmNvbTAdBgNVHQ4EFgQUHJLBo4P0J3vY8p7ZfBBZxBAGdrMwCgYIKoZIzj0E
AwIDSAAwRQIhAJmXm4HD5y4S6pZ6AWGO5whfwGNxwRwiAFv6YGR0xL70AiBUNwEj
AQVD9c7Zztt0YtNtqsvkDWAikiYCQ8dZjQI9rA==
-----END CERTIFICATE-----
`,
  'of localhost': `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIURrb2RwJwjQeA46xTZWTTP6CUE5UwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODAzMDMyNVoYDzIxMTgwMTMw
MDMwMzI1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASoffxjhAd/PWAfrWJiOSQLNxnNrAyv5OFuBwTHl2tsFvApZiSn88VE
WoFLpGugK4i+sbVx71qX93NPBZrCjfKzo2kwZzAdBgNVHQ4EFgQUHJLBo4P0J3vY
8p7ZfBBZxBAGdrMwHwYDVR0jBBgwFoAUHJLBo4P0J3vY8p7ZfBBZxBAGdrMwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhAO7AuA0gqnEQrPvZOyFEwkToJZt2ZUtVMbauBf0tjEPCAiEApjrhBZve
4TzG6et0Qwr2xUrsqmsfU2VJUAveffZgJi8=
-----END CERTIFICATE-----
`,
};

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOWp+Mvr25Z9ei94R
+2CnNR5rJl6Ms/szgq23TSSSMUmhRANCAASoffxjhAd/PWAfrWJiOSQLNxnNrAyv
5OFuBwTHl2tsFvApZiSn88VEWoFLpGugK4i+sbVx71qX93NPBZrCjfKz
-----END PRIVATE KEY-----
`;
